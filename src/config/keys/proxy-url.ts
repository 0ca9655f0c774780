import { urlFault } from './formats.js';

/** Faults of the url of an HTTP proxy: host and port, perhaps credentials, and nothing that would be lost. */
export function proxyFault(value: string): string | undefined {
  const fault = urlFault(value, ['http']);
  if (fault !== undefined) return fault;
  const { pathname, username, password } = new URL(value);
  if (value.includes('?')) return 'has a query';
  if (pathname !== '/') return 'has a path';
  const user = decoded(username);
  if (user === null || decoded(password) === null) return 'has a broken % escape in its credentials';
  // RFC 7617 §2: the password would begin there.
  return user.includes(':') ? 'has a colon in its user name' : undefined;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
