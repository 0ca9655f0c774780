/** `npm run test:faults [-- --seconds N --seed N --clients N --session N]`: docs/testing.md. */
import { parseArgs } from 'node:util';

import { runnerImport } from 'vite';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    clients: { type: 'string' },
    session: { type: 'string' },
  },
});
const options = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
if (Object.values(options).some((value) => !Number.isInteger(value) || value < 0)) {
  console.error('--seconds, --seed, --clients and --session are whole numbers');
  process.exit(2);
}

console.log(`fault run: seed ${options.seed}, ${options.seconds} s`);
const { module } = await runnerImport(new URL('fault-run.ts', import.meta.url).pathname, {
  configFile: false,
});
const { violations, ...report } = await module.runFaults(options);
console.log(report);
for (const violation of violations) console.log(`- ${violation}`);
console.log(
  violations.length === 0
    ? 'nothing wrong'
    : `${violations.length} things wrong; again: --seed ${options.seed}`,
);
process.exit(violations.length === 0 ? 0 : 1);
