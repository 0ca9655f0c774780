import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { Agent, type AgentOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

import {
  closeAtEnd,
  type EchoUpstream,
  RawClient,
  startTestGateway,
  type TestGateway,
} from '../support/index.js';
import { tlsFile } from '../support/tls.js';

export const pem = (name: string): Buffer => readFileSync(tlsFile(name));

/** Authorities of all certificates that a gateway of these tests may show. */
export const AUTHORITIES = [pem('ca.crt'), pem('chain-ca.crt'), pem('mutual-ca.crt')];

export const EC = { cert_file: tlsFile('localhost.crt'), key_file: tlsFile('localhost.key') };
export const RSA = { cert_file: tlsFile('rsa-chain.crt'), key_file: tlsFile('rsa-chain.key') };
/** Clients as `mutual-ca.crt` knows them. */
export const CLIENT = { cert: pem('client.crt'), key: pem('client.key') };
export const STRANGER = { cert: pem('odd-client.crt'), key: pem('odd-client.key') };

export function mutual(client_auth: string, authority = 'mutual-ca.crt'): object {
  return { ...EC, client_auth, client_ca_file: tlsFile(authority) };
}

/** A gateway with TLS on its data port and the one route `/`. */
export function tlsGateway(tls: object, upstream: EchoUpstream, more: object = {}): Promise<TestGateway> {
  return startTestGateway(document(tls, upstream, more));
}

export function document(tls: object, upstream: EchoUpstream, more: object = {}): object {
  const { server, ...rest } = more as { server?: object };
  return {
    logging: { level: 'debug' },
    server: { tls, ...server },
    routes: [{ id: 'all', path: '/', backends: [upstream.backend] }],
    ...rest,
  };
}

/** Agents that trust what the gateways show; connections are kept. */
export function tlsAgent(options: ConnectionOptions = {}): Agent {
  const agent = new Agent({ keepAlive: true, ca: AUTHORITIES, ...(options as AgentOptions) });
  closeAtEnd(() => agent.destroy());
  return agent;
}

/** A handshake, at whose end the socket is a raw client; rejects when it fails. */
export async function connectTls(port: number, options: ConnectionOptions = {}): Promise<TlsClient> {
  const socket = connect({ port, host: '127.0.0.1', ca: AUTHORITIES, ...options });
  closeAtEnd(() => socket.destroy());
  const client = new TlsClient(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed during the handshake')));
  });
  return client;
}

export class TlsClient extends RawClient {
  /** The latest session that may be resumed. */
  session: Buffer | null = null;

  constructor(readonly tls: TLSSocket) {
    super(tls);
    tls.on('session', (session) => (this.session = session));
  }

  /** SHA-256 of the certificate that the gateway showed. */
  get shown(): string {
    return this.tls.getPeerX509Certificate()!.fingerprint256;
  }
}

/** Certificate and key as files of their own, which a test may replace. */
export class CertificateFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'nexus-tls-'));
  readonly tls = { cert_file: join(this.path, 'tls.crt'), key_file: join(this.path, 'tls.key') };

  constructor(name: string) {
    closeAtEnd(() => rmSync(this.path, { recursive: true, force: true }));
    this.put('tls.crt', `${name}.crt`);
    this.put('tls.key', `${name}.key`);
  }

  /** Replaces a file in one step, as whoever renews certificates should. */
  put(file: string, fixture: string): void {
    copyFileSync(tlsFile(fixture), join(this.path, 'next'));
    renameSync(join(this.path, 'next'), join(this.path, file));
  }
}
