import { parseArgs } from 'node:util';

const PARTS = ['load', 'rate', 'profile'];

export const USAGE = `Usage: npm run bench -- [options]

Build first (npm run build), and install the rivals that npm has (npm install --prefix bench).
What is not installed is left out with a message.

  --rounds N        bursts of each server, in turn (9)
  --burst SECONDS   length of a burst (1)
  --connections N   keep-alive connections (64)
  --rates A,B       constant rates, requests a second, for the latency part (2000,5000,10000)
  --only ID,ID      these servers alone
  --parts P,P       of ${PARTS.join(',')} (all)
  --patience S      how long to wait, in all, while other processes use the machine (600)
  --json FILE       the figures as JSON too
  --quick           3 rounds, one rate: a first look in about two minutes
  --help
`;

/** The command line as numbers and lists. Throws for what is not understood. */
export function parseOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      rounds: { type: 'string' },
      burst: { type: 'string', default: '1' },
      connections: { type: 'string', default: '64' },
      rates: { type: 'string' },
      only: { type: 'string' },
      parts: { type: 'string', default: PARTS.join(',') },
      patience: { type: 'string', default: '600' },
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const parts = values.parts.split(',');
  const unknown = parts.find((part) => !PARTS.includes(part));
  if (unknown !== undefined) throw new Error(`no part "${unknown}", expected some of ${PARTS.join(', ')}`);
  return {
    help: values.help,
    rounds: whole('rounds', values.rounds ?? (values.quick ? '3' : '9')),
    burst: whole('burst', values.burst),
    connections: whole('connections', values.connections),
    rates: (values.rates ?? (values.quick ? '5000' : '2000,5000,10000'))
      .split(',')
      .map((r) => whole('rates', r)),
    only: values.only?.split(',') ?? null,
    parts,
    patience: whole('patience', values.patience),
    json: values.json ?? null,
  };
}

function whole(name, text) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`--${name}: "${text}" is not a whole number above 0`);
  return value;
}
