import { describe, expect, it } from 'vitest';

import { parseConfig } from '../../src/config/loader.js';
import { configWarnings } from '../../src/config/warnings.js';

/** The warnings of a document with this `sticky`, without the file. */
function warnings(sticky: object): string[] {
  const document = { routes: [{ path: '/', backends: [{ url: 'http://h' }], sticky }] };
  const config = parseConfig(JSON.stringify(document), { file: 'g.json', format: 'json' });
  return configWarnings(config).map(({ path, message }) => `${path}: ${message}`);
}

describe('warnings of sticky', () => {
  it.each<[object, (string | RegExp)[]]>([
    [{}, [/^routes\[0\]\.sticky: has no secret: /]],
    [{ secret: 'x'.repeat(32) }, []],
    [{ secret: 'ü'.repeat(16) }, []],
    [{ secret: 'x'.repeat(31) }, [/^routes\[0\]\.sticky\.secret: is shorter than 32 bytes, /]],
    [{ secret: 'x'.repeat(32), cookie: '__Host-a' }, [/^routes\[0\]\.sticky\.cookie: .*https alone/]],
    [{ secret: 'x'.repeat(32), cookie: '__Secure-a' }, [/^routes\[0\]\.sticky\.cookie: .*https alone/]],
    [{ secret: 'x'.repeat(32), cookie: '__Hosta' }, []],
  ])('%j', (sticky, expected) => {
    expect(warnings(sticky)).toEqual(expected.map((line) => expect.stringMatching(line) as unknown));
  });
});
