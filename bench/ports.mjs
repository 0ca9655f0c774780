import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export const HOST = '127.0.0.1';

/** A port that nobody listens on. */
export async function freePort() {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether somebody accepts connections on the port. */
export function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    const end = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
