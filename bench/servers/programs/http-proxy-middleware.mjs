import { Agent, createServer } from 'node:http';

import { createProxyMiddleware } from 'http-proxy-middleware';

const [port, upstream] = process.argv.slice(2);
const proxy = createProxyMiddleware({
  target: `http://127.0.0.1:${upstream}`,
  agent: new Agent({ keepAlive: true }),
});
createServer((request, response) => {
  void proxy(request, response, () => response.writeHead(404).end());
}).listen(Number(port), '127.0.0.1');
