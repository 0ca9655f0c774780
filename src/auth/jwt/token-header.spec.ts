import { describe, expect, it } from 'vitest';

import { readTokenHeader } from './token-header.js';

function part(text: string): string {
  return Buffer.from(text).toString('base64url');
}

describe('the header of a token', () => {
  it('gives algorithm and key id, whatever else there is', () => {
    const header =
      '{"alg":"RS256","kid":"a","typ":"at+jwt","jku":"http://x","jwk":{},"__proto__":{"crit":1}}';
    expect(readTokenHeader(`${part(header)}.e30.AA`)).toEqual({ alg: 'RS256', kid: 'a' });
    expect(readTokenHeader(`${part('{"alg":"none"}')}.e30.AA`)).toEqual({ alg: 'none', kid: undefined });
  });

  it.each([
    '',
    'null',
    '[]',
    '"x"',
    '{',
    '{}',
    '{"alg":1}',
    '{"alg":"RS256","kid":null}',
    '{"alg":"RS256","crit":[]}',
  ])('is none: %s', (header) => expect(readTokenHeader(`${part(header)}.e30.AA`)).toBeNull());

  const good = part('{"alg":"RS256"}');
  it.each([
    ['', 'nothing'],
    ['.', 'one dot'],
    ['..', 'two dots'],
    ['...', 'three dots'],
    [good, 'one part'],
    [`${good}.e30`, 'two parts'],
    [`${good}.e30.`, 'an empty signature'],
    [`${good}..AA`, 'an empty payload'],
    [`${good}.e30.AA.AA`, 'four parts'],
    [`${good}.e30.AA.`, 'an empty fourth part'],
    [`${good}=.e30.AA`, 'padding'],
    [`${good}.e30=.AA`, 'padding in the payload'],
    [`${good}.e30.AA==`, 'padding at the end'],
    [`${good}.e31.AA`, 'stray bits'],
    [`${good}.e30.A`, 'half a byte'],
    [`${good}.e30.A+/A`, 'plain base64'],
    [` ${good}.e30.AA`, 'white space'],
    [`${good}.e30.A\u00e9`, 'other letters'],
  ])('of %j is none: %s', (token) => expect(readTokenHeader(token)).toBeNull());
});
