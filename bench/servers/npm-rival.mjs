import { packageVersion } from '../installed.mjs';

/** A rival that is a program of servers/programs on packages of bench/node_modules. */
export function npmRival({ id, name = id, label = name, program = id, flags = [] }) {
  const version = packageVersion(name);
  const file = new URL(`programs/${program}.mjs`, import.meta.url).pathname;
  return {
    id,
    label,
    version: version ?? '',
    missing: version ? null : 'npm install --prefix bench',
    plan: ({ port, upstream }) => ({
      command: [process.execPath, ...flags, file, String(port), String(upstream)],
    }),
  };
}
