/** An absolute url with scheme and host in lower case, without default port and closing slashes (RFC 3986 §6.2.3). */
export function normalisedUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '');
}
