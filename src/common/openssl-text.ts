/** What OpenSSL says in words, for its own errors; null for others. Their message is a line with thread, source file and line number. */
export function opensslText(error: Error): string | null {
  const { reason, code } = error as { reason?: unknown; code?: unknown };
  if (typeof reason !== 'string' || typeof code !== 'string' || !code.startsWith('ERR_SSL_')) return null;
  return `${reason} (${code})`;
}
