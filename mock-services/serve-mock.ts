/** Runs one mock service in a process of its own: `node dist/mock-services/serve-mock.js users [host]`. */
import { MOCKS } from './all.js';
import { startMock } from './mock-service.js';

const [name = '', host = '127.0.0.1'] = process.argv.slice(2);
const definition = MOCKS.find((mock) => mock.name === name);
if (!definition) {
  process.stderr.write(
    `unknown mock service: ${name}; known: ${MOCKS.map((mock) => mock.name).join(', ')}\n`,
  );
  process.exit(2);
}
const mock = await startMock(definition, { host });
process.stdout.write(`mock service ${name} listens on ${host}:${mock.port}\n`);
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void mock.stop());
