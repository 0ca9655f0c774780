import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Below the ports that the system gives to whoever asks for any (from 32768), so that nobody gets one meanwhile. */
const FIRST = 12_000;
const EACH = 600;
const WORKERS = 32;
let given = Math.floor(Math.random() * EACH);

/**
 * A TCP port that nobody listens on at this moment, and that no other test takes before it is used: each of the
 * workers that run tests at once has a range of its own.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const worker = Number(process.env['VITEST_POOL_ID'] ?? process.pid) % WORKERS;
  for (let tries = 0; tries < EACH; tries++) {
    const port = FIRST + worker * EACH + (given++ % EACH);
    // oxlint-disable-next-line no-await-in-loop -- one after the other until one is free.
    if (await isFree(port, host)) return port;
  }
  throw new Error('no port is free');
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  try {
    await listen(server, host, port);
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** Listens and returns the port; port 0 takes a free one. */
export async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** `http://host:port`, with brackets around an IPv6 address. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
