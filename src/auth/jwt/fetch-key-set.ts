import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** The largest answer that is read, in bytes. */
const MAX_BYTES = 256 * 1024;

/** Fetches the JWK set at an address. */
export function fetchKeySet(uri: string, signal: AbortSignal): Promise<unknown> {
  return fetchJson(uri, signal);
}

/**
 * Fetches the JWK set of an issuer by OpenID Connect Discovery 1.0 §4. Rejects when the issuer's document names
 * another issuer (§4.3), or when the keys of an https issuer would come over plain http.
 */
export async function discoverKeySet(issuer: string, signal: AbortSignal): Promise<unknown> {
  const address = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: uri } = Object(await fetchJson(address, signal));
  if (named !== issuer) throw new Error('the discovered issuer is another one');
  if (typeof uri !== 'string' || !/^https?:\/\//.test(uri)) throw new Error('no jwks_uri was discovered');
  if (issuer.startsWith('https:') && !uri.startsWith('https:'))
    throw new Error('the discovered jwks_uri is not https');
  return fetchKeySet(uri, signal);
}

/** Redirects are not followed: only the configured address, or what it discovers, says where keys come from. */
async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  const request = send(new URL(url), signal);
  try {
    const response = await answerTo(request);
    if (response.statusCode !== 200) throw new Error(`unexpected status: ${response.statusCode}`);
    return parsed(await textOf(response));
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    request.destroy();
  }
}

/** On a connection of its own, and without a name and a password that the address may hold. */
function send(url: URL, signal: AbortSignal): ClientRequest {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return request(url, { agent: false, auth: null, headers: { accept: 'application/json' }, signal }).end();
}

function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('error', reject).on('response', resolve);
    // Nobody asked for another protocol: a status like any other that is not 200.
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`the answer is larger than ${MAX_BYTES / 1024} kb`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Without the parser's message, which quotes the answer. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the answer is not JSON');
  }
}
