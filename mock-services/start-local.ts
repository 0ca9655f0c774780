/** `npm start`: the three mock services in this process and the gateway as its child, on config/gateway.yml. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { get as getTls } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { loadConfig } from '../src/config/loader.js';
import type { ServerConfig } from '../src/config/server.config.js';
import { MOCKS } from './all.js';
import { type RunningMock, startMock } from './mock-service.js';
import { welcome } from './welcome.js';

/** From dist/mock-services, where this runs. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** docs/decisions/0007-fixed-young-generation.md. */
const NODE_FLAGS = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  '--no-flush-bytecode',
  '--no-allocation-site-pretenuring',
];
const CONFIG = 'config/gateway.yml';
/** npm hands a Ctrl-C on that the terminal has already sent: signals this close together (ms) are one. */
const SAME_SIGNAL = 500;

process.chdir(ROOT);
process.exit(await main());

async function main(): Promise<number> {
  const mocks: RunningMock[] = [];
  try {
    for (const definition of MOCKS) mocks.push(await startMock(definition));
    return await runGateway();
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  } finally {
    await Promise.all(mocks.map((mock) => mock.stop()));
  }
}

async function runGateway(): Promise<number> {
  // A process group of its own: the terminal's Ctrl-C must reach the gateway once, through us.
  const gateway = spawn(process.execPath, [...NODE_FLAGS, 'dist/src/main.js', '--config', CONFIG], {
    stdio: 'inherit',
    detached: true,
  });
  process.on('exit', () => gateway.kill('SIGKILL'));
  forwardSignals(gateway);
  void announce(gateway);
  const [code, signal] = (await once(gateway, 'exit')) as [number | null, NodeJS.Signals | null];
  if (signal !== null) process.stderr.write(`the gateway was ended by ${signal}\n`);
  return code ?? 1;
}

async function announce(gateway: ChildProcess): Promise<void> {
  const { server, admin } = loadConfig(CONFIG);
  while (gateway.exitCode === null && gateway.signalCode === null) {
    if (await isReady(server)) return void process.stdout.write(welcome(server, admin));
    await delay(50);
  }
}

/** Whether the gateway answers; its certificate is nothing to the question. */
function isReady({ port, tls }: ServerConfig): Promise<boolean> {
  const options = { host: '127.0.0.1', port, path: '/health/ready' };
  return new Promise((resolve) => {
    const answered = (response: IncomingMessage): void => {
      response.resume();
      resolve(response.statusCode === 200);
    };
    const request =
      tls === null ? get(options, answered) : getTls({ ...options, rejectUnauthorized: false }, answered);
    request.on('error', () => resolve(false));
  });
}

function forwardSignals(gateway: ChildProcess): void {
  let last = -Infinity;
  const forward = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (now - last > SAME_SIGNAL) gateway.kill(signal);
    last = now;
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, forward);
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error) {
    const mock = MOCKS.find((one) => one.port === error.port);
    return `port ${mock?.port} of the mock service "${mock?.name}" is in use: stop what listens there, then try again`;
  }
  return error.stack ?? error.message;
}
