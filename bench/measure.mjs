import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const MICROSECONDS_A_TICK = 1e6 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU time, user and system, that a process and its children took so far, in microseconds. */
export function cpu(pid) {
  return total(pid, (process_) => ticks(process_) * MICROSECONDS_A_TICK);
}

/** Resident memory of a process and its children in bytes (pages that they share count in each). */
export function memory(pid) {
  return total(pid, (process_) => {
    const status = readFileSync(`/proc/${process_}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  });
}

/** CPU time in microseconds that processes outside the tree under `root` took so far, those that they waited for too. */
export function cpuOfOthers(root) {
  const all = new Map(processes().map((pid) => [pid, fieldsOrNull(pid)]));
  const inside = (pid) => pid === root || (all.get(pid) ? inside(Number(all.get(pid)[1])) : false);
  let sum = 0;
  for (const [pid, fields] of all) {
    if (fields && !inside(pid)) sum += fields.slice(11, 15).reduce(add, 0);
  }
  return sum * MICROSECONDS_A_TICK;
}

function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function fieldsOrNull(pid) {
  try {
    return fieldsOf(pid);
  } catch {
    return null; // it has ended
  }
}

function add(sum, text) {
  return sum + Number(text);
}

function ticks(pid) {
  return fieldsOf(pid).slice(11, 13).reduce(add, 0);
}

/** What /proc says of a process, from field 3 on: the parent is at 1, utime, stime, cutime and cstime are at 11 to 14. */
function fieldsOf(pid) {
  // The name, field 2, stands in parentheses and may have spaces: count from behind it.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function total(pid, figure) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + total(Number(child), figure), figure(pid));
}
