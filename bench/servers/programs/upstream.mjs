import { createServer } from 'node:http';

const [port, body] = process.argv.slice(2);
createServer((_request, response) => response.end(body)).listen(Number(port), '127.0.0.1');
