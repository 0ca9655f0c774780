import { request } from 'undici';

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
  const { statusCode, body } = await request(url, {
    headers: { accept: 'application/json' },
    signal,
    reset: true,
  });
  try {
    if (statusCode !== 200) throw new Error(`unexpected status: ${statusCode}`);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += (chunk as Buffer).length;
      if (size > MAX_BYTES) throw new Error(`the answer is larger than ${MAX_BYTES / 1024} kb`);
      chunks.push(chunk as Buffer);
    }
    return parsed(Buffer.concat(chunks).toString());
  } finally {
    body.on('error', () => {}).destroy();
  }
}

/** Without the parser's message, which quotes the answer. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the answer is not JSON');
  }
}
