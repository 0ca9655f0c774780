import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';

import { closeAtEnd } from './cleanup.js';
import { listen } from './ports.js';

/** An HTTP proxy that makes tunnels to wherever `CONNECT` names, and keeps what it was asked for. */
export class ConnectProxy {
  readonly connects: { readonly target: string; readonly authorization: string | null }[] = [];
  /** What came as anything but CONNECT. */
  readonly others: string[] = [];
  /** Status line of its answer to each CONNECT; null = a tunnel, '' = it never answers. */
  refusal: string | null = null;
  readonly sockets = new Set<Socket>();
  readonly server = createServer((request, response) => {
    this.others.push(`${request.method} ${request.url}`);
    response.writeHead(405).end();
  });
  port = 0;

  /** @param hosts names that this proxy alone knows, and where they are */
  constructor(private readonly hosts: Readonly<Record<string, string>>) {
    this.server.on('connect', (request: IncomingMessage, socket: Socket) => this.#connect(request, socket));
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.sockets.delete(socket));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  #connect({ url = '', headers }: IncomingMessage, client: Socket): void {
    this.connects.push({ target: url, authorization: headers['proxy-authorization'] ?? null });
    if (this.refusal === '') return void client.on('end', () => client.destroy()).resume();
    if (this.refusal !== null)
      return void client.end(`HTTP/1.1 ${this.refusal}\r\nContent-Length: 4\r\n\r\nnope`);
    const { hostname, port } = new URL(`http://${url}`);
    const host = this.hosts[hostname] ?? hostname.replace(/^\[|\]$/g, '');
    const upstream = connect(Number(port || 80), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  }
}

export async function connectProxy(hosts: Readonly<Record<string, string>> = {}): Promise<ConnectProxy> {
  const proxy = new ConnectProxy(hosts);
  proxy.port = await listen(proxy.server);
  closeAtEnd(() => {
    proxy.server.close();
    for (const socket of proxy.sockets) socket.destroy();
  });
  return proxy;
}
