// What a cache hit costs node's HTTP server alone: the answer that the gateway gives, without a gateway.
import { createServer } from 'node:http';

const BODY = 'x'.repeat(100);
const HEAD = [
  ['Server', 'nginx/1.22.1'],
  ['Date', 'Mon, 30 Nov 2026 13:44:40 GMT'],
  ['Content-Type', 'text/plain'],
  ['Content-Length', String(BODY.length)],
  ['Age', '0'],
  ['Cache-Status', 'nexus; hit; ttl=3599'],
  ['X-Cache', 'HIT'],
  ['X-Gateway-Proxy', 'nexus-gateway'],
  ['X-Request-Id', '01m8pb6ngy4nj27k7c771e32c7'],
].flat();

const [port] = process.argv.slice(2);
createServer({ optimizeEmptyRequests: true }, (_request, response) => {
  response.writeHead(200, 'OK', HEAD);
  response.end(BODY, 'latin1');
}).listen(Number(port), '127.0.0.1');
