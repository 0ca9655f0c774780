import type { Group } from './plan.js';

export interface Places {
  readonly port: number;
  readonly steady: readonly string[];
  readonly shaky: readonly string[];
  readonly tight: readonly string[];
  readonly dead: readonly string[];
}

const CONNECTION = { keep_alive: '1s', connect_timeout: '1s' };
const UPSTREAM_OF: Readonly<Record<Group, string>> = {
  steady: 'steady',
  shaky: 'shaky',
  tight: 'tight',
  dead: 'dead',
  limited: 'steady',
  small: 'steady',
};
const POLICY_OF: Readonly<Partial<Record<Group, object>>> = {
  limited: { rate_limit: { requests: 5, per: '1s', by: 'route' } },
  small: { max_body_size: '1kb' },
};

/** The document of a run; each `version` differs where a reload may change things under what is going on. */
export function documentOf(places: Places, version: number): Record<string, unknown> {
  const backends = (urls: readonly string[]): object[] => urls.map((url) => ({ url }));
  // Other sockets each time; a backend less each third time.
  const connection = { ...CONNECTION, max_connections: 1_000 + (version % 2) };
  const shaky = version % 3 === 1 ? places.shaky.slice(1) : places.shaky;
  return {
    port: places.port,
    server: {
      host: '127.0.0.1',
      header_timeout: '1500ms',
      body_timeout: '1500ms',
      keep_alive_timeout: '5s',
      shutdown: { grace_period: '2s' },
    },
    admin: { enabled: false },
    upstreams: {
      steady: { backends: backends(places.steady), connection },
      shaky: { backends: backends(shaky), connection: CONNECTION, health_check: HEALTH_CHECK },
      tight: {
        backends: backends(places.tight),
        connection: { ...CONNECTION, max_connections: 3, max_pending: 2 },
      },
      dead: { backends: backends(places.dead), connection: CONNECTION },
    },
    routes: [...routes(version), { path: `/extra-${version}`, upstream: 'steady' }],
  };
}

const HEALTH_CHECK = {
  path: '/health',
  interval: '300ms',
  timeout: '200ms',
  healthy_threshold: 1,
  unhealthy_threshold: 2,
};

function routes(version: number): object[] {
  return (Object.keys(UPSTREAM_OF) as Group[]).map((group) => ({
    id: group,
    path: `/${group}`,
    upstream: UPSTREAM_OF[group],
    timeout: '1500ms',
    timeouts: { idle: '1500ms' },
    websocket: { idle_timeout: '1500ms', handshake_timeout: '1500ms' },
    metadata: { version },
    ...POLICY_OF[group],
  }));
}

/** Texts that a reload must refuse. */
export function refusedText(places: Places, version: number): string {
  const document = documentOf(places, version);
  const broken: readonly string[] = [
    '{"port": ',
    JSON.stringify({ ...document, no_such_key: true }),
    JSON.stringify({ ...document, port: places.port - 1 }),
    JSON.stringify({ ...document, routes: [{ path: '/', upstream: 'nowhere' }] }),
    '',
  ];
  return broken[version % broken.length]!;
}
