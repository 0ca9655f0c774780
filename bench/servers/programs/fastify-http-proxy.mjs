import proxy from '@fastify/http-proxy';
import fastify from 'fastify';

const [port, upstream] = process.argv.slice(2);
const app = fastify();
await app.register(proxy, { upstream: `http://127.0.0.1:${upstream}` });
await app.listen({ port: Number(port), host: '127.0.0.1' });
