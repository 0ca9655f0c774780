/** `latin1Slice` is the plain form of `toString('latin1', start, end)`, without its argument checks. */
export function latin1(bytes: Buffer, start = 0, end = bytes.length): string {
  return (bytes as Buffer & { latin1Slice(start: number, end: number): string }).latin1Slice(start, end);
}
