import { describe, expect, it } from 'vitest';

import { readExposition } from './exposition.js';

const problemsOf = (...lines: string[]) => readExposition(`${lines.join('\n')}\n`).problems;

const HISTOGRAM = [
  '# HELP h_seconds Time.',
  '# TYPE h_seconds histogram',
  'h_seconds_bucket{le="0.1",a="b"} 1',
  'h_seconds_bucket{le="+Inf",a="b"} 2',
  'h_seconds_sum{a="b"} 0.5',
  'h_seconds_count{a="b"} 2',
];

describe('readExposition', () => {
  it('finds nothing wrong in good text', () => {
    expect(
      problemsOf('# HELP a_total A.', '# TYPE a_total counter', 'a_total{x="a\\"b\\\\\\n"} 1', ''),
    ).toEqual([]);
    expect(problemsOf(...HISTOGRAM)).toEqual([]);
  });

  it.each([
    ['no counter suffix', ['# HELP a A.', '# TYPE a counter', 'a 1']],
    ['a counter suffix on a gauge', ['# HELP a_total A.', '# TYPE a_total gauge', 'a_total 1']],
    ['an abbreviated unit', ['# HELP a_ms A.', '# TYPE a_ms gauge', 'a_ms 1']],
    ['a unit that is no base unit', ['# HELP a_milliseconds A.', '# TYPE a_milliseconds gauge']],
    ['no type', ['# HELP a A.', 'a 1']],
    ['a sample outside its family', ['# HELP a A.', '# TYPE a gauge', 'b 1']],
    ['a family twice', ['# HELP a A.', '# TYPE a gauge', 'a 1', '# HELP a A.', '# TYPE a gauge']],
    ['a series twice', ['# HELP a A.', '# TYPE a gauge', 'a{x="1",y="2"} 1', 'a{y="2",x="1"} 1']],
    ['a raw quote', ['# HELP a A.', '# TYPE a gauge', 'a{x="""} 1']],
    ['a value that is no number', ['# HELP a A.', '# TYPE a gauge', 'a undefined']],
    ['buckets that fall', HISTOGRAM.map((line) => line.replace('le="0.1",a="b"} 1', 'le="0.1",a="b"} 3'))],
    ['a count that differs', HISTOGRAM.map((line) => line.replace('_count{a="b"} 2', '_count{a="b"} 1'))],
    ['no bucket +Inf', HISTOGRAM.filter((line) => !line.includes('+Inf'))],
    ['no sum', HISTOGRAM.filter((line) => !line.includes('_sum'))],
  ])('finds %s', (_, lines) => {
    expect(problemsOf(...lines)).toHaveLength(1);
  });
});
