import type { AdminConfig, ServerConfig } from '../src/config/server.config.js';
import { MOCKS } from './all.js';

const TRIES: readonly (readonly [request: string, what: string])[] = [
  ['/', 'the gateway itself'],
  ['/api/users/profile', 'arrives at users as /profile'],
  ['/api/orders/1001', 'arrives at orders as /1001'],
  ['"/api/orders/slow?ms=6000"', '504 after 5s'],
  ['-X DELETE /api/users/1', '405, and Allow names the methods'],
  ['-X POST "/api/users/_mock/fail?status=500&for=30s"', 'users fails for 30s; after three probes 503'],
  ['/health', 'every upstream with its healthy backends'],
  ['/metrics', 'for Prometheus'],
];
const CHAT = `-N -H "content-type: application/json" -d '{"stream":true,"messages":[{"role":"user","content":"hello there"}]}'`;

/** What `npm start` prints when everything runs: where it is and what to try. */
export function welcome(server: ServerConfig, admin: AdminConfig): string {
  const gateway = `${scheme(server)}://localhost:${server.port}`;
  const places = [
    ['gateway', gateway],
    ...(admin.enabled ? [['admin', `${scheme(admin)}://${admin.host}:${admin.port}`]] : []),
    ...MOCKS.map(({ name, port }) => [`${name} (mock)`, `http://localhost:${port}`]),
  ];
  return [
    '',
    'Nexus Gateway is ready.',
    '',
    ...places.map(([name = '', url = '']) => `  ${name.padEnd(16)} ${url}`),
    '',
    'Try:',
    ...table(TRIES.map(([request, what]) => [curl(request, gateway), what])),
    `  curl -s ${CHAT} ${gateway}/llm/v1/chat/completions`,
    '',
    'Routes: config/gateway.yml. Ctrl-C stops everything.',
    '',
    '',
  ].join('\n');
}

function scheme({ tls }: ServerConfig | AdminConfig): string {
  return tls === null ? 'http' : 'https';
}

function curl(request: string, gateway: string): string {
  return `curl -i ${request.replace(/(^|[ "])\//, `$1${gateway}/`)}`;
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  # ${right}`);
}
