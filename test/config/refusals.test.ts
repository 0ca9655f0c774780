import { describe, expect, it } from 'vitest';

import { ConfigError, type ParseOptions, parseConfig } from '../../src/config/loader.js';

const ROUTE = 'routes: [{path: /a, backends: [{url: http://h}]}]\n';
const route = (keys: string): string => `routes: [{path: /a, backends: [{url: http://h}], ${keys}}]\n`;
const upstream = (keys: string): string => `${ROUTE}upstreams: {u: {backends: [{url: http://h}], ${keys}}}\n`;

type Row = [shows: string, text: string, expected: string[], options?: Partial<ParseOptions>];

/** Each line as `line:column key.path: what is wrong, what was expected`. */
const REFUSALS: readonly Row[] = [
  ['an empty document', '', ['1:1 document: is empty, expected a map with at least `routes`']],
  ['a comment alone', '# nothing\n', ['1:1 document: is empty, expected a map with at least `routes`']],
  ['a list', '- a\n', ['1:1 document: is a list, expected a map with at least `routes`']],
  ['a single value', '8080\n', ['1:1 document: is a single value, expected a map with at least `routes`']],
  ['null', 'null\n', ['1:1 document: is empty, expected a map with at least `routes`']],
  ['no routes', 'port: 8080\n', ['1:1 routes: has no routes, expected at least one']],
  ['an empty list of routes', 'routes: []\n', ['1:9 routes: has no routes, expected at least one']],
  [
    'routes that are no list',
    'routes: 5\n',
    ['1:9 routes: 5 is a number, expected a list, each entry a map'],
  ],
  [
    'a key of another gateway',
    'listen: 80\n' + ROUTE,
    [
      '1:1 listen: is not a known key of the document, expected one of port, health_check, rate_limit_per_upstream, cors, compression, groups, server, admin, logging, metrics, tracing, history, request_id, redis, rate_limit_global, rate_limit_per_user, auth, cache, security_headers, extensions, upstreams, routes',
    ],
  ],
  [
    'a misspelt key',
    route('strip_prefx: true'),
    ['1:50 routes[0].strip_prefx: is not a known key of route, did you mean strip_prefix?'],
  ],
  [
    'a misspelt value',
    upstream('balancing: round_robbin'),
    [
      '2:57 upstreams.u.balancing: "round_robbin" is not known, expected one of round_robin, weighted_round_robin, least_connections, random, ip_hash: did you mean round_robin?',
    ],
  ],
  [
    'a misspelt nested key',
    'server: {max_hedder_size: 8kb}\n' + ROUTE,
    ['1:10 server.max_hedder_size: is not a known key of server, did you mean max_header_size?'],
  ],
  [
    'a key of a route at the top',
    'timeout: 3s\n' + ROUTE,
    [
      '1:1 timeout: is not a known key of the document, expected one of port, health_check, rate_limit_per_upstream, cors, compression, groups, server, admin, logging, metrics, tracing, history, request_id, redis, rate_limit_global, rate_limit_per_user, auth, cache, security_headers, extensions, upstreams, routes',
    ],
  ],
  [
    'a key twice',
    'port: 8080\nport: 8081\n' + ROUTE,
    ['2:1 port: is written twice in this map, expected once'],
  ],
  [
    'a key twice in metadata',
    route('metadata: {a: 1, a: 2}'),
    ['1:67 routes[0].metadata.a: is written twice in this map, expected once'],
  ],
  [
    'a port as text',
    'port: "8080"\n' + ROUTE,
    ['1:7 port: "8080" is a text, expected an integer from 1 to 65535: write 8080 without quotes'],
  ],
  [
    'a port as boolean',
    'port: true\n' + ROUTE,
    ['1:7 port: true is a boolean, expected an integer from 1 to 65535'],
  ],
  ['a port as null', 'port: null\n' + ROUTE, ['1:7 port: is empty, expected an integer from 1 to 65535']],
  ['a port of 0', 'port: 0\n' + ROUTE, ['1:7 port: 0 is out of range, expected an integer from 1 to 65535']],
  [
    'a port above 65535',
    'server: {port: 65536}\n' + ROUTE,
    ['1:16 server.port: 65536 is out of range, expected an integer from 1 to 65535'],
  ],
  [
    'a broken port',
    'port: 80.5\n' + ROUTE,
    ['1:7 port: 80.5 is not an integer, expected an integer from 1 to 65535'],
  ],
  [
    'a port that is not a number',
    'port: .nan\n' + ROUTE,
    ['1:7 port: NaN is not an integer, expected an integer from 1 to 65535'],
  ],
  [
    'two ports that differ',
    'port: 8080\nserver: {port: 8081}\n' + ROUTE,
    ['1:7 port: differs from server.port, expected one of the two alone or both alike'],
  ],
  [
    'a flag as text',
    route('strip_prefix: "true"'),
    ['1:64 routes[0].strip_prefix: "true" is a text, expected true or false: write true without quotes'],
  ],
  [
    'a flag as number',
    route('strip_prefix: 1'),
    ['1:64 routes[0].strip_prefix: 1 is a number, expected true or false'],
  ],
  [
    'a text as number',
    route('id: 5'),
    ['1:54 routes[0].id: 5 is a number, expected lower-case letters, digits, - _ and . (at most 128)'],
  ],
  [
    'a map as text',
    route('upstream: {}'),
    [
      '1:60 routes[0].upstream: is a map, expected letters, digits, - _ and . (at most 128)',
      '1:60 routes[0].upstream: stands beside `backends`, expected one of the two',
    ],
  ],
  ['a list as map', 'server: [1]\n' + ROUTE, ['1:9 server: is a list, expected a map']],
  ['a text as map', 'server: x\n' + ROUTE, ['1:9 server: "x" is a text, expected a map']],
  [
    'a bare number as duration',
    route('timeout: 30'),
    ['1:59 routes[0].timeout: 30 is a number, expected a duration such as 250ms, 10s or 1m30s: write 30s'],
  ],
  [
    'a duration with a long unit',
    route('timeout: 5seconds'),
    [
      '1:59 routes[0].timeout: "5seconds" is not a duration, expected a duration such as 250ms, 10s or 1m30s: write 5s',
    ],
  ],
  [
    'a duration of a day',
    route('timeout: 1d'),
    ['1:59 routes[0].timeout: "1d" is not a duration, expected a duration such as 250ms, 10s or 1m30s'],
  ],
  [
    'an empty duration',
    route('timeout: ""'),
    ['1:59 routes[0].timeout: "" is not a duration, expected a duration such as 250ms, 10s or 1m30s'],
  ],
  [
    'a duration of zero',
    route('timeout: 0s'),
    ['1:59 routes[0].timeout: "0s" is not positive, expected a duration such as 250ms, 10s or 1m30s'],
  ],
  [
    'a negative duration',
    route('timeout: -5s'),
    ['1:59 routes[0].timeout: "-5s" is not a duration, expected a duration such as 250ms, 10s or 1m30s'],
  ],
  [
    'a duration that no timer holds',
    route('timeout: 900h'),
    ['1:59 routes[0].timeout: "900h" is longer than 596h, expected a duration such as 250ms, 10s or 1m30s'],
  ],
  [
    'a bare number as size',
    'server: {max_header_size: 16}\n' + ROUTE,
    [
      '1:27 server.max_header_size: 16 is a number, expected a size such as 16kb or 1mb: write 16b, 16kb or 16mb',
    ],
  ],
  [
    'a size with a long unit',
    'server: {max_header_size: 16KiB}\n' + ROUTE,
    ['1:27 server.max_header_size: "16KiB" is not a size, expected a size such as 16kb or 1mb: write 16kb'],
  ],
  [
    'a size of zero',
    'server: {max_header_size: 0kb}\n' + ROUTE,
    ['1:27 server.max_header_size: "0kb" is not positive, expected a size such as 16kb or 1mb'],
  ],
  [
    'a URI as long as a head',
    'server: {max_uri_length: 16kb}\n' + ROUTE,
    ['1:26 server.max_uri_length: "16kb" is too large, expected less than max_header_size ("16kb")'],
  ],
  [
    'a bad range of addresses',
    'server: {trusted_proxies: [10.0.0.0/33, example.com, 10.0.0.1, 10.0.0.0/08]}\n' + ROUTE,
    [
      '1:28 server.trusted_proxies[0]: "10.0.0.0/33" has a bad prefix length, expected an address range such as 10.0.0.0/8 or ::1/128',
      '1:41 server.trusted_proxies[1]: "example.com" is no address range, expected an address range such as 10.0.0.0/8 or ::1/128',
      '1:64 server.trusted_proxies[3]: "10.0.0.0/08" has a bad prefix length, expected an address range such as 10.0.0.0/8 or ::1/128',
    ],
  ],
  [
    'TLS that cannot be read',
    'server: {tls: {cert_file: no.pem, key_file: no.key}}\n' + ROUTE,
    [
      '1:27 server.tls.cert_file: "no.pem" cannot be read (ENOENT), expected a readable file',
      '1:45 server.tls.key_file: "no.key" cannot be read (ENOENT), expected a readable file',
    ],
  ],
  [
    'an admin port for all without token',
    'admin: {host: 0.0.0.0}\n' + ROUTE,
    ['1:15 admin.host: "0.0.0.0" can be reached from outside, expected a token or a loopback host'],
  ],
  [
    'an admin port that is the data port',
    'admin: {port: 8080}\n' + ROUTE,
    ['1:15 admin.port: 8080 is the data port too, expected another one'],
  ],
  [
    'an unknown level',
    'logging: {level: loud}\n' + ROUTE,
    ['1:18 logging.level: "loud" is not known, expected one of trace, debug, info, warn, error'],
  ],
  [
    'descending buckets',
    'metrics: {buckets: [1, 0.5]}\n' + ROUTE,
    ['1:24 metrics.buckets[1]: is not above the one before it, expected ascending bounds'],
  ],
  [
    'metrics on /',
    'metrics: {path: /}\n' + ROUTE,
    [
      '1:17 metrics.path: "/" cannot be the path of metrics, expected a path without parameters, not / nor under /health or /_gateway',
    ],
  ],
  [
    'a bad header name',
    'request_id: {header: "x id"}\n' + ROUTE,
    ['1:22 request_id.header: "x id" does not fit, expected the name of a header (RFC 9110 token)'],
  ],
  [
    'an unset variable',
    'admin: {token: "${TOKEN}"}\n' + ROUTE,
    ['1:16 admin.token: the variable TOKEN is not set, expected it in the environment'],
  ],
  [
    'a malformed reference',
    'admin: {token: "${TO KEN}", host: "${"}\n' + ROUTE,
    [
      '1:16 admin.token: holds a malformed reference, expected ${NAME}, ${NAME:-default} or ${file:/path} ($${ for a literal ${)',
      '1:35 admin.host: holds a malformed reference, expected ${NAME}, ${NAME:-default} or ${file:/path} ($${ for a literal ${)',
    ],
  ],
  [
    'a file that is not there',
    'admin: {token: "${file:/no/such/file}"}\n' + ROUTE,
    ['1:16 admin.token: the file /no/such/file cannot be read (ENOENT), expected a readable file'],
  ],
  [
    'a reference of the wrong kind',
    'port: ${PORT}\n' + ROUTE,
    ['1:7 port: the value of ${PORT} is a text, expected an integer from 1 to 65535'],
    { env: { PORT: 's3cret' } },
  ],
  [
    'a reference as duration',
    route('timeout: "${T}"'),
    [
      '1:59 routes[0].timeout: the value of ${T} is not a duration, expected a duration such as 250ms, 10s or 1m30s',
    ],
    { env: { T: '30' } },
  ],
  [
    'a reference in flow without quotes',
    route('timeout: ${T}'),
    [
      '1:60 document: is not YAML: Unexpected flow-map-start at node end (inside { } and [ ] a reference needs quotes: "${NAME}")',
    ],
    { env: { T: '30s' } },
  ],
  [
    'a path without slash',
    'routes: [{path: api, backends: [{url: http://h}]}]\n',
    ['1:17 routes[0].path: "api" does not begin with /, expected a path such as /api/users'],
  ],
  [
    'a path with a query',
    'routes: [{path: /a?b=1, backends: [{url: http://h}]}]\n',
    ['1:17 routes[0].path: "/a?b=1" holds a query, expected a path alone (see the key `query`)'],
  ],
  [
    'a path with a fragment',
    'routes: [{path: "/a#b", backends: [{url: http://h}]}]\n',
    ['1:17 routes[0].path: "/a#b" holds a fragment, expected a path alone'],
  ],
  [
    'a path with dots',
    'routes: [{path: /a/../b, backends: [{url: http://h}]}]\n',
    ['1:17 routes[0].path: "/a/../b" holds a . or .. segment, expected none'],
  ],
  [
    'a path with an empty segment',
    'routes: [{path: /a//b, backends: [{url: http://h}]}]\n',
    ['1:17 routes[0].path: "/a//b" holds an empty segment (//), expected text between slashes'],
  ],
  [
    'a path with a bad parameter',
    'routes: [{path: "/a/{1}", backends: [{url: http://h}]}]\n',
    [
      '1:17 routes[0].path: "/a/{1}" holds a bad parameter name, expected a letter or _ and then letters, digits or _',
    ],
  ],
  [
    'no path',
    'routes: [{backends: [{url: http://h}]}]\n',
    ['1:10 routes[0].path: is missing, expected a path such as /api/users or /api/users/{id}'],
  ],
  [
    'a path of the gateway itself',
    'routes:\n  - {path: /health, backends: [{url: http://h}]}\n  - {path: /metrics/x, backends: [{url: http://h}]}\n  - {path: /_gateway, backends: [{url: http://h}]}\n  - {path: /healthz, backends: [{url: http://h}]}\n',
    [
      '2:12 routes[0].path: "/health" lies at or under a path that the gateway serves itself, expected none of /health, /metrics, /_gateway and metrics.path',
      '3:12 routes[1].path: "/metrics/x" lies at or under a path that the gateway serves itself, expected none of /health, /metrics, /_gateway and metrics.path',
      '4:12 routes[2].path: "/_gateway" lies at or under a path that the gateway serves itself, expected none of /health, /metrics, /_gateway and metrics.path',
    ],
  ],
  [
    'the path of metrics',
    'metrics: {path: /internal/metrics}\nroutes: [{path: /internal, backends: [{url: http://h}]}]\n',
    [
      '2:17 routes[0].path: "/internal" lies at or under a path that the gateway serves itself, expected none of /health, /metrics, /_gateway and metrics.path',
    ],
  ],
  [
    'an empty list of methods',
    route('methods: []'),
    [
      '1:59 routes[0].methods: is empty, expected a list of at least one entry, each a method such as GET, POST or DELETE',
    ],
  ],
  [
    'an unknown method',
    route('methods: [GET, FETCH, get, CONNECT]'),
    [
      '1:65 routes[0].methods[1]: "FETCH" is no method, expected a method such as GET, POST or DELETE',
      '1:72 routes[0].methods[2]: "get" is no method, expected a method such as GET, POST or DELETE: write GET',
      '1:77 routes[0].methods[3]: "CONNECT" is no method, expected a method such as GET, POST or DELETE',
    ],
  ],
  [
    'a method twice',
    route('methods: [GET, GET]'),
    ['1:65 routes[0].methods[1]: "GET" stands twice in the list, expected it once'],
  ],
  [
    'an id with capitals',
    route('id: Users'),
    ['1:54 routes[0].id: "Users" does not fit, expected lower-case letters, digits, - _ and . (at most 128)'],
  ],
  [
    'a bad host',
    route('hosts: ["a b", "*.example.com", "example.com:80", "*"]'),
    [
      '1:58 routes[0].hosts[0]: "a b" is no host, expected a host such as api.example.com or *.example.com, without port',
      '1:82 routes[0].hosts[2]: "example.com:80" is no host, expected a host such as api.example.com or *.example.com, without port',
      '1:100 routes[0].hosts[3]: "*" is no host, expected a host such as api.example.com or *.example.com, without port',
    ],
  ],
  [
    'a header condition that is no text',
    route('headers: {x-a: 1}'),
    ['1:65 routes[0].headers.x-a: 1 is a number, expected a value, or /regex/ that takes bounded time'],
  ],
  [
    'an expression that does not compile',
    route('headers: {x-a: /(/}'),
    [
      '1:65 routes[0].headers.x-a: "/(/" is a regular expression that does not compile, expected a value, or /regex/ that takes bounded time',
    ],
  ],
  [
    'an expression of exponential time',
    route('query: {a: /(a+)+$/}'),
    [
      '1:61 routes[0].query.a: "/(a+)+$/" is a regular expression that can take exponential time, expected a value, or /regex/ that takes bounded time',
    ],
  ],
  [
    'no target',
    'routes: [{path: /a}]\n',
    ['1:10 routes[0].upstream: is missing, expected the name of an upstream, or `backends` here'],
  ],
  ...['{}', '[u, v]', '[{weight: 1}]', '[]'].map((split): Row => {
    const problems: Record<string, string[]> = {
      '{}': ['1:28 routes[0].split: is a map, expected a list of at least one entry, each a map'],
      '[u, v]': [
        '1:29 routes[0].split[0]: "u" is a text, expected a map',
        '1:32 routes[0].split[1]: "v" is a text, expected a map',
      ],
      '[{weight: 1}]': [
        '1:29 routes[0].split[0].upstream: is missing, expected letters, digits, - _ and . (at most 128)',
      ],
      '[]': ['1:28 routes[0].split: is empty, expected a list of at least one entry, each a map'],
    };
    return [`a broken split alone: ${split}`, `routes: [{path: /a, split: ${split}}]\n`, problems[split]!];
  }),
  [
    'a split that is off, and no target',
    'routes: [{path: /a, split: null, timeout: 5}]\n',
    [
      '1:10 routes[0].upstream: is missing, expected the name of an upstream, or `backends` here',
      '1:43 routes[0].timeout: 5 is a number, expected a duration such as 250ms, 10s or 1m30s: write 5s',
    ],
  ],
  [
    'two targets',
    'routes: [{path: /a, backends: [{url: http://h}], upstream: u}]\nupstreams: {u: {backends: [{url: http://h}]}}\n',
    ['1:60 routes[0].upstream: stands beside `backends`, expected one of the two'],
  ],
  [
    'an unknown upstream',
    'routes: [{path: /a, upstream: user}]\nupstreams: {users: {backends: [{url: http://h}]}}\n',
    ['1:31 routes[0].upstream: "user" names no upstream, did you mean users?'],
  ],
  [
    'no upstream at all',
    'routes: [{path: /a, upstream: user}]\n',
    ['1:31 routes[0].upstream: "user" names no upstream, expected one of `upstreams`'],
  ],
  [
    'no backends',
    'routes: [{path: /a, backends: []}]\nupstreams: {u: {}}\n',
    [
      '1:31 routes[0].backends: is empty, expected a list of at least one entry, each a map',
      '2:16 upstreams.u.backends: is missing, expected a list of at least one entry, each a map',
    ],
  ],
  [
    'keys of an upstream without backends',
    'routes: [{path: /a, upstream: u, critical: true}]\nupstreams: {u: {backends: [{url: http://h}]}}\n',
    ['1:44 routes[0].critical: belongs to an upstream, expected it there or `backends` beside it'],
  ],
  [
    'a name taken by an upstream',
    'routes: [{id: u, path: /a, backends: [{url: http://h}]}]\nupstreams: {u: {backends: [{url: http://h}]}}\n',
    [
      '1:38 routes[0].backends: make an upstream named u like the route, but `upstreams` declares one too, expected another id of the route',
    ],
  ],
  [
    'urls that are none',
    'routes:\n  - path: /a\n    backends:\n      - url: localhost:80\n      - url: ftp://h\n      - url: http://h/?a=1\n      - url: http://h/#a\n      - url: http://me:secret@h\n      - url: http://\n      - url: http://h:99999\n      - url: http://h/a/../b\n',
    [
      '4:14 routes[0].backends[0].url: "localhost:80" is not an absolute http or https url, expected an http or https url such as http://localhost:8081, with at most a base path',
      '5:14 routes[0].backends[1].url: "ftp://h" is not an absolute http or https url, expected an http or https url such as http://localhost:8081, with at most a base path',
      '6:14 routes[0].backends[2].url: "http://h/?a=1" has a query, expected an http or https url such as http://localhost:8081, with at most a base path',
      '7:14 routes[0].backends[3].url: "http://h/#a" has a fragment, expected an http or https url such as http://localhost:8081, with at most a base path',
      '8:14 routes[0].backends[4].url: "http://me:secret@h" holds credentials, expected an http or https url such as http://localhost:8081, with at most a base path',
      '9:14 routes[0].backends[5].url: "http://" is no url, expected an http or https url such as http://localhost:8081, with at most a base path',
      '10:14 routes[0].backends[6].url: "http://h:99999" is no url, expected an http or https url such as http://localhost:8081, with at most a base path',
      '11:14 routes[0].backends[7].url: "http://h/a/../b" holds a . or .. segment, expected an http or https url such as http://localhost:8081, with at most a base path',
    ],
  ],
  [
    'a url twice',
    'routes: [{path: /a, backends: [{url: http://h/}, {url: "http://H:80"}]}]\n',
    [
      '1:56 routes[0].backends[1].url: stands twice in this upstream, expected another url or an id of its own',
    ],
  ],
  [
    'an id twice',
    'routes: [{path: /a, backends: [{url: http://h, id: x}, {url: http://i, id: x}, {url: http://j, id: "http://k"}, {url: http://k}]}]\n',
    [
      '1:76 routes[0].backends[1].id: "x" is taken by the backend in line 1, expected an id of its own',
      '1:119 routes[0].backends[3].url: "http://k" is the id of the backend in line 1, expected an id of its own',
    ],
  ],
  ...['99999gb', '99999 GB'].map((size): Row => [
    `a size that no hint can save: ${size}`,
    route(`retry: {max_body: ${size}}`),
    [
      `1:68 routes[0].retry.max_body: "${size}" ${size.includes(' ') ? 'is not a size' : 'is larger than 1024gb'}, expected a size such as 16kb or 1mb`,
    ],
  ]),
  [
    'numbers that no hint can save',
    upstream(
      'slow_start: 99999999, max_in_flight: {limit: 3000000000, queue: "3000000000", queue_timeout: 1e9}',
    ),
    [
      '2:58 upstreams.u.slow_start: 99999999 is a number, expected a duration such as 250ms, 10s or 1m30s',
      '2:91 upstreams.u.max_in_flight.limit: 3000000000 is out of range, expected an integer from 1 to 2147483647',
      '2:110 upstreams.u.max_in_flight.queue: "3000000000" is a text, expected an integer of at least 0',
      '2:139 upstreams.u.max_in_flight.queue_timeout: 1000000000 is a number, expected a duration such as 250ms, 10s or 1m30s',
    ],
  ],
  [
    'copies of bodies without bound',
    'routes: [{path: /a, backends: [{url: http://h}], mirror: {upstream: u, max_body: 17mb}}]\nupstreams: {u: {backends: [{url: http://h}]}}\n',
    [
      '1:82 routes[0].mirror.max_body: "17mb" is larger than 16mb, expected a size such as 16kb or 1mb of at most 16mb',
    ],
  ],
  [
    'interim statuses, which are no answers',
    upstream('circuit_breaker: {statuses: [100-199, 103]}') +
      'groups: [{path: /g, routes: [{path: /b, upstream: u, retry: {statuses: [199]}, transform: {response: {status: [{from: 200, to: 101}]}}}]}]\n',
    [
      '2:75 upstreams.u.circuit_breaker.statuses[0]: "100-199" is out of range, expected a range such as 200-399',
      '2:84 upstreams.u.circuit_breaker.statuses[1]: 103 is out of range, expected an integer from 200 to 599',
      '3:73 groups[0].routes[0].retry.statuses[0]: 199 is out of range, expected an integer from 200 to 599',
      '3:128 groups[0].routes[0].transform.response.status[0].to: 101 is out of range, expected an integer from 200 to 599',
    ],
  ],
  [
    'name servers that may or may not have a port',
    upstream(
      'discovery: {servers: ["::1:53", "fd00::1:2", "fd00::53", "[::1:53]", "[::1]:53", "1:2:3:4:5:6:7:8"]}',
    ),
    [
      '2:68 upstreams.u.discovery.servers[0]: "::1:53" may end with a port, expected [::1]:53 or [::1:53]',
      '2:78 upstreams.u.discovery.servers[1]: "fd00::1:2" may end with a port, expected [fd00::1]:2 or [fd00::1:2]',
    ],
  ],
  [
    'a short secret of a cookie',
    upstream('sticky: {secret: "fifteen bytes.."}'),
    [
      '2:63 upstreams.u.sticky.secret: the value is too short, expected a secret of at least 16 bytes, better 32',
    ],
  ],
  ...(
    [
      ['http://proxy:3128/path', 'has a path'],
      ['http://proxy:3128\\\\path', 'has a path'],
      ['http://proxy:3128/?a=b', 'has a query'],
      ['http://proxy?', 'has a query'],
      ['http://me:100%@proxy', 'has a broken % escape in its credentials'],
      ['http://%zz@proxy', 'has a broken % escape in its credentials'],
      ['http://a%3Ab:c@proxy', 'has a colon in its user name'],
    ] as const
  ).map(([url, fault]): Row => [
    `a proxy that ${fault}: ${url}`,
    upstream(`connection: {proxy: "${url}"}`),
    [
      `2:66 upstreams.u.connection.proxy: the value ${fault}, expected environment, or an http url such as http://proxy:3128`,
    ],
  ]),
  [
    'weights of 0',
    'routes: [{path: /a, backends: [{url: http://h, weight: 0}]}]\n',
    ['1:31 routes[0].backends: have the weight 0 all of them, expected at least one above it'],
    { unavailable: {} },
  ],
  [
    'a weight below 0',
    'routes: [{path: /a, backends: [{url: http://h, weight: -1}]}]\n',
    ['1:56 routes[0].backends[0].weight: -1 is out of range, expected an integer from 0 to 1000000'],
    { unavailable: {} },
  ],
  [
    'the same requests twice',
    'routes:\n  - path: /a/{x}\n    methods: [GET, POST]\n    backends: [{url: http://h}]\n  - path: /a/:y/\n    methods: [POST]\n    backends: [{url: http://h}]\n',
    [
      '5:11 routes[1].path: the route post-a-y (line 5) matches the same requests as the route get-post-a-x (line 2), expected another path, method, host, header or query',
    ],
  ],
  [
    'the same id twice',
    'routes:\n  - id: a\n    path: /a\n    backends: [{url: http://h}]\n  - id: a\n    path: /b\n    backends: [{url: http://h}]\n',
    ['5:9 routes[1].id: "a" is taken by the route in line 2, expected an id of its own'],
  ],
  [
    'the same default id twice',
    'routes:\n  - path: /a/b\n    backends: [{url: http://h}]\n  - path: /a-b\n    backends: [{url: http://h}]\n',
    [
      '4:5 routes[1].id: is missing, and the default "any-a-b" is taken by the route in line 2, expected an id of its own',
    ],
  ],
  [
    'an interval not above its timeout',
    'health_check: {interval: 2s, timeout: 2s}\n' + ROUTE,
    ['1:26 health_check.interval: "2s" is not above timeout ("2s"), expected a longer interval'],
  ],
  [
    'a merged interval not above its timeout',
    'health_check: {interval: 5s}\n' + upstream('health_check: {timeout: 5s}'),
    ['3:60 upstreams.u.health_check: interval "5s" is not above timeout ("5s"), expected a longer interval'],
  ],
  [
    'a status out of range',
    'health_check: {expected_status: 600}\n' + ROUTE,
    ['1:33 health_check.expected_status: 600 is out of range, expected an integer from 100 to 599'],
  ],
  [
    'ranges of statuses',
    "health_check: {expected_status: [200, '399-200', '2xx', 99]}\n" + ROUTE,
    [
      '1:39 health_check.expected_status[1]: "399-200" is out of range, expected a range such as 200-399',
      '1:50 health_check.expected_status[2]: "2xx" is not a range of statuses, expected a range such as 200-399',
      '1:57 health_check.expected_status[3]: 99 is out of range, expected an integer from 100 to 599',
    ],
  ],
  [
    'a threshold of 0',
    'health_check: {healthy_threshold: 0}\n' + ROUTE,
    ['1:35 health_check.healthy_threshold: 0 is out of range, expected an integer from 1 to 1000'],
  ],
  [
    'a limit below 1',
    route('rate_limit: {requests: 0, per: 1m}'),
    ['1:73 routes[0].rate_limit.requests: 0 is out of range, expected an integer from 1 to 1000000000'],
  ],
  [
    'a limit without time',
    route('rate_limit: {requests: 1}'),
    ['1:62 routes[0].rate_limit.per: is missing, expected a duration such as 250ms, 10s or 1m30s'],
  ],
  [
    'limits in a list',
    route('rate_limit: [{requests: 1, per: 1m}, {requests: 1.5, per: 60}]'),
    [
      '1:98 routes[0].rate_limit[1].requests: 1.5 is not an integer, expected an integer from 1 to 1000000000',
      '1:108 routes[0].rate_limit[1].per: 60 is a number, expected a duration such as 250ms, 10s or 1m30s: write 60s',
    ],
  ],
  [
    'a limit by anything',
    route('rate_limit: {requests: 1, per: 1m, by: cookie}'),
    [
      '1:89 routes[0].rate_limit.by: "cookie" does not fit, expected ip, user, api_key, route or header:<name>',
    ],
  ],
  [
    'a limit by user on an open route',
    route('rate_limit: {requests: 1, per: 1m, by: user}'),
    ['1:89 routes[0].rate_limit.by: "user" is not known on this route, expected auth: jwt or api_key there'],
    { unavailable: {} },
  ],
  [
    'a limit in Redis without Redis',
    route('rate_limit: {requests: 1, per: 1m, store: redis}'),
    ['1:92 routes[0].rate_limit.store: redis is not configured, expected the key redis in the document'],
    { unavailable: {} },
  ],
  [
    'rewrite without anything',
    route('rewrite: {}'),
    ['1:59 routes[0].rewrite: is not whole, expected either path, or pattern and replacement'],
  ],
  [
    'rewrite with half a pattern',
    route('rewrite: {pattern: "^/a"}'),
    ['1:59 routes[0].rewrite: is not whole, expected either path, or pattern and replacement'],
  ],
  [
    'rewrite with an unknown name',
    route('rewrite: {path: "/b/{id}"}'),
    [
      '1:66 routes[0].rewrite.path: names {id}, which is unknown; expected one of client_ip, request_id, identity.sub',
    ],
  ],
  [
    'rewrite with a stray brace',
    route('rewrite: {path: "/b/}"}'),
    ['1:66 routes[0].rewrite.path: has a stray brace, expected {name}, or {{ and }} for literal braces'],
  ],
  [
    'rewrite with an unknown group',
    route('rewrite: {pattern: "^/a", replacement: "/$1"}'),
    ['1:89 routes[0].rewrite.replacement: names $1, which pattern does not have; expected one of its groups'],
  ],
  [
    'rewrite of exponential time',
    route('rewrite: {pattern: "^/((a*)*)$", replacement: /}'),
    [
      '1:69 routes[0].rewrite.pattern: "^/((a*)*)$" is a regular expression that can take exponential time, expected a regular expression that takes bounded time',
    ],
  ],
  [
    'a limit with a negative burst',
    route('rate_limit: {requests: 1, per: 1m, burst: 0}'),
    ['1:92 routes[0].rate_limit.burst: 0 is out of range, expected an integer from 1 to 1000000000'],
  ],
  [
    'a number too large',
    route('rate_limit: {requests: 1e12, per: 1m}'),
    [
      '1:73 routes[0].rate_limit.requests: 1000000000000 is out of range, expected an integer from 1 to 1000000000',
    ],
  ],
  [
    'a limit for all by user with no users',
    'rate_limit_global: {requests: 1, per: 1m, by: user}\n' + ROUTE,
    ['1:47 rate_limit_global.by: "user" is known to no route, expected auth.jwt or auth.api_keys'],
    { unavailable: {} },
  ],
  [
    'an expression with a backreference',
    route('headers: {x-a: "/(a)\\\\1/"}'),
    [
      '1:65 routes[0].headers.x-a: "/(a)\\\\1/" is a regular expression with a backreference, which can take exponential time, expected a value, or /regex/ that takes bounded time',
    ],
  ],
  [
    'a wildcard path',
    'routes: [{path: "/api/*", backends: [{url: http://h}]}]\n',
    [
      '1:17 routes[0].path: "/api/*" holds a wildcard, expected none: a path is a prefix, {name} is one segment',
    ],
  ],
  [
    'a method that all and one take',
    'routes:\n  - {id: one, path: /a, hosts: [h.example], backends: [{url: http://h}]}\n  - {id: two, path: /a, hosts: [H.Example, i.example], backends: [{url: http://h}]}\n',
    [
      '3:21 routes[1].path: the route two (line 3) matches the same requests as the route one (line 2), expected another path, method, host, header or query',
    ],
  ],
  [
    'many limits, one of them wrong',
    route('rate_limit: [5]'),
    ['1:63 routes[0].rate_limit[0]: 5 is a number, expected a map'],
  ],
  ['an empty key of a section', 'server:\n' + ROUTE, ['1:1 server: is empty, expected a map']],
  [
    'a text with a control character',
    route('security_headers: {x-a: "a\\nb"}'),
    [
      '1:74 routes[0].security_headers.x-a: "a\\nb" holds a control character, expected a text without control characters',
    ],
  ],
  [
    'rewrite to no path',
    route('rewrite: {path: b}'),
    ['1:66 routes[0].rewrite.path: is not a path, expected / in front, no query and no . or .. segments'],
  ],
  [
    'a group without routes',
    'groups: [{path: /v1}]\n',
    ['1:10 groups[0].routes: is missing, expected a list of at least one entry, each a map'],
  ],
  [
    'a parameter twice over a group',
    'groups: [{path: "/{id}", routes: [{path: "/{id}", backends: [{url: http://h}]}]}]\n',
    [
      '1:42 groups[0].routes[0].path: "/{id}/{id}", with the path of the group, names a parameter twice, expected different names',
    ],
  ],
  [
    'an unknown key of a group',
    'groups: [{path: /v1, methods: [GET], routes: [{path: /a, backends: [{url: http://h}]}]}]\n',
    [
      '1:22 groups[0].methods: is not a known key of group, expected one of path, routes, hosts, strip_prefix, rewrite, upstream, split, mirror, timeout, timeouts, max_body_size, retry, rate_limit, auth, roles, ip, cors, cache, validate, transform, compression, security_headers, guards, interceptors, websocket, ai, metadata',
    ],
  ],
  [
    'YAML that breaks off',
    'port: 70000\nroutes: [\n  {path: /a\n',
    [
      '1:7 port: 70000 is out of range, expected an integer from 1 to 65535',
      '4:1 document: is not YAML: Flow map in block collection must be sufficiently indented and end with a }',
    ],
  ],
  ['tabs', 'routes:\n\t- path: /a\n', ['2:1 document: is not YAML: Tabs are not allowed as indentation']],
  ['two documents', 'port: 1\n---\nport: 2\n', ['2:1 document: begins a second document, expected one']],
  [
    'a tag',
    'port: !!js/function 1\n' + ROUTE,
    ['1:7 document: is not YAML: Unresolved tag: tag:yaml.org,2002:js/function'],
  ],
  ['an alias to nothing', 'routes: *a\n', ['1:9 document: *a names no anchor before it, expected &a']],
  ['an alias to itself', 'routes: &a [*a]\n', ['1:13 document: *a names no anchor before it, expected &a']],
  [
    'a list as key',
    '? [a]\n: 1\n' + ROUTE,
    ['1:3 document: is a list or map in the place of a key, expected a text'],
  ],
  [
    'a token that is needed',
    route('auth: jwt'),
    ['1:56 routes[0].auth: asks for a token that cannot be verified, expected auth.jwt in the document'],
    { unavailable: {} },
  ],
  [
    'roles of nobody',
    route('roles: [admin]'),
    ['1:57 routes[0].roles: need an identity, expected auth: jwt or api_key on the route'],
    { unavailable: {} },
  ],
  [
    'the algorithm none',
    'auth: {jwt: {algorithms: [none], issuer: https://i}}\n' + ROUTE,
    [
      '1:27 auth.jwt.algorithms[0]: "none" is not known, expected one of HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA',
    ],
    { unavailable: {} },
  ],
  [
    'a short secret',
    'auth: {jwt: {algorithms: [HS256], secret: short}}\n' + ROUTE,
    ['1:43 auth.jwt.secret: the value is too short, expected a secret of at least 32 bytes'],
    { unavailable: {} },
  ],
  [
    'no secret',
    'auth: {jwt: {algorithms: [HS256]}}\n' + ROUTE,
    ['1:13 auth.jwt.secret: is missing, expected one for HS algorithms'],
    { unavailable: {} },
  ],
  [
    'algorithms of two kinds',
    'auth: {jwt: {algorithms: [HS256, RS256], issuer: https://i}}\n' + ROUTE,
    [
      '1:26 auth.jwt.algorithms: mix HS with others, expected one kind: a public key must never serve as a secret',
    ],
    { unavailable: {} },
  ],
  [
    'a secret for public keys',
    'auth: {jwt: {secret: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, issuer: https://i}}\n' + ROUTE,
    ['1:22 auth.jwt.secret: does not fit RS256, expected a public key, or algorithms: [HS256] for a secret'],
    { unavailable: {} },
  ],
  [
    'no key at all',
    'auth: {jwt: {}}\n' + ROUTE,
    ['1:13 auth.jwt: has no key, expected public_key_file, jwks_uri or issuer'],
    { unavailable: {} },
  ],
  [
    'the same API key twice',
    'auth: {api_keys: {keys: [{id: a, key: k}, {id: b, hash: "sha256:8254C329A92850F6D539DD376F4816EE2764517DA5E0235514AF433164480D7A"}]}}\n' +
      ROUTE,
    ['1:43 auth.api_keys.keys[1]: is the same key as that of a, expected another one'],
  ],
  [
    'an API key without key',
    'auth: {api_keys: {keys: [{id: a}, {id: a, key: k, hash: "sha256:1"}]}}\n' + ROUTE,
    [
      '1:26 auth.api_keys.keys[0]: has none of hash and key or both, expected one of them',
      '1:40 auth.api_keys.keys[1].id: "a" stands twice, expected different ids',
      '1:57 auth.api_keys.keys[1].hash: the value does not fit, expected sha256: and 64 hex digits',
    ],
    { unavailable: {} },
  ],
  [
    'a cache in Redis without Redis',
    'cache: {store: redis}\n' + ROUTE,
    ['1:16 cache.store: redis is not configured, expected the key redis in the document'],
    { unavailable: {} },
  ],
  [
    'a cache that does not say whose',
    'auth: {api_keys: {}}\n' + route('auth: api_key, cache: {}'),
    [
      '2:72 routes[0].cache.key: does not say identity on a route with auth, expected identity: true or false',
    ],
    { unavailable: {} },
  ],
  [
    'an unknown route to invalidate',
    route('cache: {invalidates: [b]}'),
    ['1:72 routes[0].cache.invalidates[0]: "b" names no route, expected the id of one'],
    { unavailable: {} },
  ],
  [
    'credentials for everybody',
    'cors: {credentials: true}\n' + ROUTE,
    ['1:21 cors.credentials: stands beside the origin *, expected origins by name'],
    { unavailable: {} },
  ],
  [
    'a pattern of origins',
    'cors: {origins: ["https://*.a.example"]}\n' + ROUTE,
    [
      '1:18 cors.origins[0]: "https://*.a.example" is a pattern, and patterns match nothing, expected * or an origin such as https://app.example.com',
    ],
    { unavailable: {} },
  ],
  [
    'an origin with a path',
    'cors: {origins: [https://a.example/x]}\n' + ROUTE,
    [
      '1:18 cors.origins[0]: "https://a.example/x" is no origin (scheme, host and port alone), expected * or an origin such as https://app.example.com',
    ],
    { unavailable: {} },
  ],
  [
    'shares of 0',
    'routes: [{path: /a, split: [{upstream: u, weight: 0}]}]\nupstreams: {u: {backends: [{url: http://h}]}}\n',
    ['1:28 routes[0].split: gives every upstream the weight 0, expected at least one above it'],
    { unavailable: {} },
  ],
  [
    'an unknown upstream to mirror to',
    route('mirror: {upstream: m}'),
    ['1:69 routes[0].mirror.upstream: "m" names no upstream, expected one of any-a'],
    { unavailable: {} },
  ],
  [
    'a backoff above its bound',
    route('retry: {backoff: 6s}'),
    ['1:57 routes[0].retry.max_backoff: "5s" is below backoff ("6s"), expected at least that'],
    { unavailable: {} },
  ],
  [
    'a budget',
    route('retry: {budget: 20}'),
    ['1:66 routes[0].retry.budget: 20 is a number, expected a share from 0% to 100%'],
    { unavailable: {} },
  ],
  [
    'a schema and a file',
    route('validate: {body: {}}'),
    ['1:67 routes[0].validate.body: has none of schema and schema_file, expected one of them'],
    { unavailable: {} },
  ],
  [
    'an unknown name in a template',
    route('transform: {request: {headers: {set: {x-a: "{identity.name}"}}}}'),
    [
      '1:93 routes[0].transform.request.headers.set.x-a: names {identity.name}, which is unknown; expected one of client_ip, request_id, identity.sub',
    ],
    { unavailable: {} },
  ],
  [
    'a client certificate without its key',
    upstream('connection: {tls: {cert_file: package.json}}'),
    [
      '2:64 upstreams.u.connection.tls: is for nobody, expected an https url of a backend, or no `tls`',
      '2:76 upstreams.u.connection.tls.cert_file: stands alone, expected cert_file and key_file together',
      '2:76 upstreams.u.connection.tls.cert_file: "package.json" holds no certificate, expected certificates in PEM',
    ],
  ],
  [
    'a bad proxy',
    upstream('connection: {proxy: socks5://x}'),
    [
      '2:66 upstreams.u.connection.proxy: the value is not an absolute http url, expected environment, or an http url such as http://proxy:3128',
    ],
  ],
  [
    'prototype keys',
    '__proto__: {port: 1}\nconstructor: 1\n' + ROUTE,
    [
      '1:1 __proto__: is not a known key of the document, expected one of port, health_check, rate_limit_per_upstream, cors, compression, groups, server, admin, logging, metrics, tracing, history, request_id, redis, rate_limit_global, rate_limit_per_user, auth, cache, security_headers, extensions, upstreams, routes',
      '2:1 constructor: is not a known key of the document, expected one of port, health_check, rate_limit_per_upstream, cors, compression, groups, server, admin, logging, metrics, tracing, history, request_id, redis, rate_limit_global, rate_limit_per_user, auth, cache, security_headers, extensions, upstreams, routes',
    ],
  ],
];

function issuesOf(text: string, options: Partial<ParseOptions> = {}): string[] {
  try {
    parseConfig(text, { file: 'g', format: 'yaml', env: {}, ...options });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map((issue) => String(issue).slice('g:'.length));
  }
}

describe('a document is refused for', () => {
  it.each(REFUSALS)('%s', (_, text, expected, options) => {
    expect(issuesOf(text, options).map(withoutDirectory)).toEqual(expected.map(withoutDirectory));
  });
});

it('a guard that is not registered is refused with the nearest name', () => {
  const registered = { guards: ['tenant', 'quota'], interceptors: [] };
  const lines = issuesOf(route('guards: [tenat, {name: quota}]'), { unavailable: {}, registered });
  expect(lines).toEqual([
    expect.stringContaining('1:59 routes[0].guards[0]: "tenat" is not registered, did you mean tenant?'),
  ]);
});

function withoutDirectory(line: string): string {
  return line.replaceAll(`${process.cwd()}/`, '');
}
