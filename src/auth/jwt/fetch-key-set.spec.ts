import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { closeAtEnd } from '../../../test/support/cleanup.js';
import { listen, urlOf } from '../../../test/support/ports.js';
import { tlsFile, tlsUpstream } from '../../../test/support/tls.js';
import { discoverKeySet, fetchKeySet } from './fetch-key-set.js';

const DISCOVERY = '/.well-known/openid-configuration';
const { signal } = new AbortController();

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}
type Answers = Record<string, Answer>;

/** An https server with an answer for each target; more can be added later. */
async function issuer(answers: Answers = {}, certificate = 'localhost.crt', key = 'localhost.key') {
  const server = await tlsUpstream(certificate, key, {
    respond: (request, response) => {
      const { status = 200, headers, body = {} } = answers[request.url!] ?? { status: 404 };
      response.writeHead(status, headers).end(status === 204 ? undefined : JSON.stringify(body));
    },
  });
  return { answers, server, url: `https://localhost:${server.port}` };
}

let before: string[];
beforeAll(() => {
  before = getCACertificates('default');
  setDefaultCACertificates([...before, readFileSync(tlsFile('ca.crt'), 'utf8')]);
});
afterAll(() => setDefaultCACertificates(before));

describe('keys over https', () => {
  it('are found where the issuer says', async () => {
    const keys = await issuer({ '/k?v=1': { body: { keys: [] } } });
    const { answers, url } = await issuer();
    answers[`/tenant${DISCOVERY}`] = { body: { issuer: `${url}/tenant/`, jwks_uri: `${keys.url}/k?v=1` } };
    expect(await discoverKeySet(`${url}/tenant/`, signal)).toEqual({ keys: [] });
  });

  it('never come over plain http', async () => {
    const { answers, url } = await issuer();
    answers[DISCOVERY] = { body: { issuer: url, jwks_uri: 'http://keys.example/k' } };
    await expect(discoverKeySet(url, signal)).rejects.toThrow('the discovered jwks_uri is not https');
  });

  it('never come from an issuer that is another one but for a slash', async () => {
    const { answers, url } = await issuer();
    answers[DISCOVERY] = { body: { issuer: `${url}/`, jwks_uri: `${url}/k` } };
    await expect(discoverKeySet(url, signal)).rejects.toThrow('the discovered issuer is another one');
  });

  it.each([204, 301, 404, 500])('never come with status %i', async (status) => {
    const { server, url } = await issuer({ '/k': { status, headers: { location: '/elsewhere' } } });
    await expect(fetchKeySet(`${url}/k`, signal)).rejects.toThrow(`unexpected status: ${status}`);
    expect(server.requests).toEqual(['/k']);
  });

  it.each([
    ['nobody trusted has signed', 'users.crt', 'users.key', /signature|certificate/],
    ['is for another name', 'other.crt', 'localhost.key', /altnames/],
  ])('never come with a certificate that %s', async (_, certificate, key, message) => {
    const { server, url } = await issuer({ '/k': {} }, certificate, key);
    await expect(fetchKeySet(`${url}/k`, signal)).rejects.toThrow(message);
    expect(server.requests).toEqual([]);
  });
});

describe('an address of keys', () => {
  /** The head of the one request that comes, answered with 200 or with what is given, byte for byte. */
  async function asked(target: (host: string) => string, answer?: string) {
    const headers: object[] = [];
    const server = createServer((request, response) => {
      headers.push(request.headers);
      if (answer === undefined) response.end('{}');
      else request.socket.end(answer);
    });
    closeAtEnd(() => server.close());
    const host = new URL(urlOf('127.0.0.1', await listen(server))).host;
    return { host, headers, keys: fetchKeySet(target(host), signal) };
  }

  it('is asked on a connection of its own, without the name and the password in it', async () => {
    const { host, headers, keys } = await asked((at) => `http://user:secret@${at}/k`);
    expect(await keys).toEqual({});
    expect(headers).toEqual([{ accept: 'application/json', host, connection: 'close' }]);
  });

  it.each([
    ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['breaks off in the body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}'],
    ['says nothing', ''],
    ['speaks something else', 'SSH-2.0-x\r\n'],
  ])('that %s has none', async (_, answer) => {
    await expect((await asked((at) => `http://${at}/k`, answer)).keys).rejects.toThrow(/./);
  });

  it('is given up for the reason of the signal', async () => {
    const silent = createServer(() => {});
    closeAtEnd(() => silent.close());
    const url = urlOf('127.0.0.1', await listen(silent));
    const reason = new Error('too late');
    const aborted = new AbortController();
    silent.once('request', () => aborted.abort(reason));
    await expect(fetchKeySet(url, aborted.signal)).rejects.toBe(reason);
    await expect(fetchKeySet(url, aborted.signal)).rejects.toBe(reason);
  });
});
