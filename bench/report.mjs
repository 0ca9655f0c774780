import { CALM, counted, isCalm } from './calm.mjs';
import { CORES } from './cores.mjs';
import { median } from './statistics.mjs';

const MB = 1024 * 1024;

/** The figures of a run as Markdown. */
export function report(result) {
  const counting = {
    ...result,
    load_runs: result.load_runs?.map(onlyCounted),
    rate_runs: result.rate_runs?.map(onlyCounted),
  };
  return [
    heading(result),
    ...(result.load_runs ? [loadTable(counting)] : []),
    ...(result.rate_runs ? [rateTable(counting)] : []),
    ...(result.profile ? [profileTables(result.profile)] : []),
    targets(counting),
  ].join('\n');
}

/** A run with the figures of its calm bursts alone, or of all, with a mark, where those are too few. */
function onlyCounted(run) {
  const counts = counted(run);
  const figures = Object.entries(run).filter(([, value]) => Array.isArray(value));
  const chosen = figures.map(([name, list]) => [name, list.filter((_, i) => counts[i])]);
  return { ...run, ...Object.fromEntries(chosen), mark: isCalm(run) ? '' : ' *' };
}

function heading({ machine, load, upstream, options, load_runs: loads = [], rate_runs: rates = [] }) {
  const bursts = [...loads, ...rates].flatMap(({ disturbed }) => disturbed);
  const restless = bursts.filter((share) => share > CALM).length;
  return `## ${machine.date}, commit ${machine.commit}, Node ${machine.node.slice(1)}

${machine.model}, ${machine.cores} cores; ${CORES}.
${load}, upstream ${upstream} answering 100 bytes, ${options.connections} keep-alive connections,
${options.rounds} bursts of ${options.burst} s each, in turn. Medians, minima in brackets.
In ${restless} of ${bursts.length} bursts other processes took more than ${CALM * 100} % of a core whenever they were tried: left out, but
where fewer than three remain (marked *).
`;
}

function loadTable({ load_runs: runs, servers }) {
  const of = (id) => runs.find((run) => run.id === id);
  const rows = runs.map((run) => {
    const { label, version, idle } = servers.find(({ id }) => id === run.id);
    return [
      `${label} ${label.startsWith('Nexus') ? '' : version}`.trim() + run.mark,
      `${fixed(median(run.cpu))} (${fixed(Math.min(...run.cpu))})`,
      of('fast-gateway') ? quotient(run.cpu, of('fast-gateway').cpu) : '–',
      of('nginx') ? quotient(run.cpu, of('nginx').cpu) : '–',
      Math.round(median(run.rate)).toLocaleString('en'),
      fixed(median(run.p50), 2),
      fixed(median(run.p99), 2),
      `${Math.round(idle / MB)} / ${Math.round(run.memory / MB)}`,
      String(run.errors),
    ];
  });
  const head = [
    'server',
    'CPU µs a request',
    'of fast-gateway',
    'of nginx',
    'requests/s',
    'p50 ms',
    'p99 ms',
  ];
  return table([...head, 'RSS MB idle / loaded', 'errors'], rows);
}

/** Of the medians, and in brackets of the minima. */
function quotient(ours, theirs) {
  const ofMinima = Math.min(...ours) / Math.min(...theirs);
  return `${fixed(median(ours) / median(theirs), 2)} (${fixed(ofMinima, 2)})`;
}

function rateTable({ rate_runs: runs }) {
  const rows = runs.map((run) => {
    const nginx = runs.find(({ id, rate }) => id === 'nginx' && rate === run.rate);
    return [
      run.rate.toLocaleString('en'),
      run.label + run.mark,
      `${fixed(median(run.p50), 2)} (${fixed(Math.min(...run.p50), 2)})`,
      `${fixed(median(run.p99), 2)} (${fixed(Math.min(...run.p99), 2)})`,
      nginx ? quotient(run.p99, nginx.p99) : '–',
      fixed(median(run.max), 1),
      run.cpu.length === 0 ? '–' : `${fixed(median(run.cpu))} (${fixed(Math.min(...run.cpu))})`,
      nginx && run.cpu.length > 0 ? quotient(run.cpu, nginx.cpu) : '–',
      String(run.errors),
    ];
  });
  const head = ['requests/s', 'server', 'p50 ms', 'p99 ms', 'p99 of nginx', 'max ms'];
  return table([...head, 'CPU µs a request', 'CPU of nginx', 'errors'], rows);
}

function profileTables({ each, groups, functions }) {
  const rows = (list) => list.map(({ name, share, cpu }) => [name, `${fixed(share * 100)} %`, fixed(cpu)]);
  return `Profile of "nothing on", ${fixed(each)} µs a request with the profiler:

${table(['where', 'share', 'µs a request'], rows(groups))}
${table(['function', 'share', 'µs a request'], rows(functions))}`;
}

function targets({ load_runs: runs = [], rate_runs: rates = [], servers }) {
  const load = (id) => runs.find((run) => run.id === id);
  const lines = [
    verdict('nothing on ≤ 0.65 of fast-gateway', load('nexus'), load('fast-gateway'), 0.65),
    verdict('everything on ≤ 0.85 of fast-gateway', load('nexus-everything'), load('fast-gateway'), 0.85),
    verdict('everything on ≤ 3 of nginx', load('nexus-everything'), load('nginx'), 3),
    verdict('a cache hit ≤ 1.2 of nginx proxying', load('nexus-cache'), load('nginx'), 1.2),
    verdict('a cache hit ≤ 1.2 of node:http alone', load('nexus-cache'), load('node-answer'), 1.2),
    differenceVerdict(load('nexus-traffic'), load('nexus-two')),
    verdict('5,000 routes ≤ 1.2 of 10 routes', load('nexus-5000'), load('nexus-10'), 1.2),
    ...rateTargets(rates),
    idleTarget(servers?.find(({ id }) => id === 'nexus-1000')?.idle),
  ];
  return `${lines.filter(Boolean).join('\n')}\n`;
}

function rateTargets(runs) {
  const rates = new Set(runs.map(({ rate }) => rate));
  return [...rates].flatMap((rate) => {
    const of = (id) => runs.find((run) => run.id === id && run.rate === rate);
    const at = `at ${rate.toLocaleString('en')} requests/s`;
    return [
      verdict(`p99 ${at} ≤ 2 of nginx`, of('nexus'), of('nginx'), 2, 'p99'),
      verdict(`a cache hit ${at} ≤ 1.2 of nginx proxying`, of('nexus-cache'), of('nginx'), 1.2),
      verdict(`a cache hit ${at} ≤ 1.2 of node:http alone`, of('nexus-cache'), of('node-answer'), 1.2),
      verdict(`everything on ${at} ≤ 3 of nginx`, of('nexus-everything'), of('nginx'), 3),
    ];
  });
}

/** Met or missed only where the medians and the minima agree. */
function verdict(name, ours, theirs, limit, figure = 'cpu') {
  if (!ours || !theirs) return null;
  const ofMedians = median(ours[figure]) / median(theirs[figure]);
  const ofMinima = Math.min(...ours[figure]) / Math.min(...theirs[figure]);
  const line = `- ${name}: ${fixed(ofMedians, 2)} (${fixed(ofMinima, 2)})`;
  if (ours.mark || theirs.mark) return `${line}, but too disturbed to say`;
  if (ofMedians <= limit !== ofMinima <= limit) return `${line}, not shown: medians and minima disagree`;
  return `${line}, ${ofMedians <= limit ? 'met' : 'missed'}`;
}

/** Two differences, of medians and of minima: each is small beside what it is the difference of. */
function differenceVerdict(ours, theirs) {
  if (!ours || !theirs) return null;
  const ofMedians = median(ours.cpu) - median(theirs.cpu);
  const ofMinima = Math.min(...ours.cpu) - Math.min(...theirs.cpu);
  const line = `- breaker, least connections and retry add ≤ 3 µs: ${fixed(ofMedians)} (${fixed(ofMinima)})`;
  if (ours.mark || theirs.mark) return `${line}, but too disturbed to say`;
  if (ofMedians <= 3 !== ofMinima <= 3) return `${line}, not shown: medians and minima disagree`;
  return `${line}, ${ofMedians <= 3 ? 'met' : 'missed'}`;
}

function idleTarget(bytes) {
  if (bytes === undefined) return null;
  return `- idle with 1,000 routes ≤ 120 MB: ${Math.round(bytes / MB)} MB, ${bytes <= 120 * MB ? 'met' : 'missed'}`;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}

function fixed(value, digits = 1) {
  return value.toFixed(digits);
}
