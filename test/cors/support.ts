import {
  type ClientResponse,
  type EchoUpstream,
  echoUpstream,
  startTestGateway,
  type TestGateway,
} from '../support/index.js';

export const APP = 'https://app.example.com';
export const EVIL = 'https://evil.example';

export interface Scene {
  readonly upstream: EchoUpstream;
  readonly gateway: TestGateway;
}

/** A gateway with `cors` on the route `p` at `/p` in front of an ECHO. */
export async function corsScene(
  cors: unknown = { origins: [APP] },
  route: object = {},
  document: object = {},
): Promise<Scene> {
  const upstream = await echoUpstream();
  const gateway = await startTestGateway({
    ...document,
    routes: [{ id: 'p', path: '/p', cors, backends: [upstream.backend], ...route }],
  });
  return { upstream, gateway };
}

/** Asks as a browser does before a request that needs leave. */
export function preflight(
  gateway: TestGateway,
  { origin = APP, method = 'PUT', path = '/p', headers = {} }: Partial<Preflight> = {},
): Promise<ClientResponse> {
  return gateway.request(path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method, ...headers },
  });
}

interface Preflight {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string | string[]>;
}

/** The CORS headers of an answer, each with all its values. */
export function corsHeaders(answer: ClientResponse): Record<string, string> {
  const names = answer.rawHeaders
    .map(([name]) => name.toLowerCase())
    .filter((name) => /^(access-|vary$)/.test(name));
  return Object.fromEntries(names.map((name) => [name, answer.headerAll(name).join(' | ')]));
}
