import type { IncomingHttpHeaders } from 'node:http';

export type ValueTest = (value: string) => boolean;

/** `/…/` is a regular expression, found anywhere in the value; everything else is compared as it stands. */
export function valueTest(expected: string): ValueTest {
  if (expected.length < 2 || !expected.startsWith('/') || !expected.endsWith('/')) {
    return (value) => value === expected;
  }
  const pattern = new RegExp(expected.slice(1, -1));
  return (value) => pattern.test(value);
}

/** Whether a header is there and its value, several lines joined, is the expected one. Throws a SyntaxError for a bad regular expression. */
export function headerTest(name: string, expected: string): (headers: IncomingHttpHeaders) => boolean {
  const key = name.toLowerCase();
  const test = valueTest(expected);
  return (headers) => {
    const value: unknown = headers[key];
    if (typeof value === 'string') return test(value);
    return Array.isArray(value) && test(value.join(', '));
  };
}
