import {
  type EchoUpstream,
  echoUpstream,
  rawUpstream,
  type RawConnection,
  type RawUpstream,
  startTestGateway,
  type TestGateway,
} from '../support/index.js';

export interface Scene<Upstream> {
  readonly upstream: Upstream;
  readonly gateway: TestGateway;
}

/** A gateway in front of an ECHO: route `p` at `/p`, with what else is given. */
export async function echoScene(route: object = {}, document: object = {}): Promise<Scene<EchoUpstream>> {
  const upstream = await echoUpstream();
  return { upstream, gateway: await before(upstream, route, document) };
}

/** A gateway in front of a RAWUP that sends the reply set last to each whole request. */
export async function rawScene(route: object = {}, document: object = {}): Promise<RawScene> {
  const script = { reply: OK };
  const upstream = await rawUpstream((connection) => answering(connection, script));
  return { upstream, script, gateway: await before(upstream, route, document) };
}

export interface RawScene extends Scene<RawUpstream> {
  readonly script: Script;
}

interface Script {
  /** Bytes; a final `<close>` ends the connection after them, `<reset>` resets it. */
  reply: string;
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** A gateway with the route `p` at `/p` to a backend of the test's own making. */
export function before(
  upstream: { readonly backend: object },
  route: object = {},
  document: object = {},
): Promise<TestGateway> {
  return startTestGateway({
    ...document,
    routes: [{ id: 'p', path: '/p', backends: [upstream.backend], ...route }],
  });
}

async function answering(connection: RawConnection, script: Script): Promise<void> {
  for (let index = 0; ; index++) {
    // oxlint-disable-next-line no-await-in-loop -- one request after the other.
    await connection.until(() => connection.requests[index]?.complete, 'a request', { timeoutMs: 60_000 });
    const [, bytes = '', end] = /^(.*?)(<close>|<reset>)?$/s.exec(script.reply) ?? [];
    // oxlint-disable-next-line no-await-in-loop
    await connection.write(bytes);
    if (end === '<close>') connection.end();
    else if (end === '<reset>') connection.reset();
  }
}

/** A raw request without a body. */
export function rawGet(target: string, headers = '', method = 'GET'): string {
  return `${method} ${target} HTTP/1.1\r\nHost: gw.test\r\n${headers}\r\n`;
}
