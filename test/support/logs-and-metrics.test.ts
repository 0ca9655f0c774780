import { expect, it } from 'vitest';

import { LogCapture, metricValue } from './index.js';

it('log capture joins pieces of lines and finds lines by message and fields', async () => {
  const logs = new LogCapture();
  logs.write('{"msg":"a","n":1}\n{"msg":');
  logs.write('"a","n":2}\nnot json\n');
  expect(logs.lines).toHaveLength(3);
  expect(logs.with('a', { n: 2 })).toEqual([{ msg: 'a', n: 2 }]);
  expect(await logs.until('a')).toEqual({ msg: 'a', n: 1 });
  await expect(logs.until('b', {}, { timeoutMs: 10 })).rejects.toThrow(/"msg":"b".*not json/s);
});

it('reads a series by name and labels', () => {
  const text = [
    '# TYPE up gauge',
    'up 1',
    'requests_total{method="GET",path="/a\\"b"} 3',
    'requests_total{method="POST",path="/c"} 4',
  ].join('\n');
  expect(metricValue(text, 'up')).toBe(1);
  expect(metricValue(text, 'requests_total', { path: '/a"b' })).toBe(3);
  expect(metricValue(text, 'requests_total', { method: 'POST' })).toBe(4);
  expect(metricValue(text, 'requests_total', { method: 'PUT' })).toBeUndefined();
});
