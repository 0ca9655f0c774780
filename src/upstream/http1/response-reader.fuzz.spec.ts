import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { FUZZ_TIMEOUT_MS, fuzzing, mostly } from '../../../test/cases/fuzz.js';
import { type NodeRead, nodeReads } from './node-reader.fixture.js';
import { bytesOf, cutAt, type Read, readPieces } from './reader.fixture.js';

/** What node takes and the gateway refuses, on purpose. */
const STRICTER: readonly [what: string, RegExp][] = [
  ['empty lines in front', /^[\r\n]/],
  ['empty lines behind an interim response', /\r\n\r\n[\r\n]+HTTP/],
  ['chunk extensions without a name or a value', /^[\da-f]+[^\r\n]*(?:;[;=\r]|=[;\r])/im],
  ['a line that ends without CR', /[^\r]\n/],
  ['another version', /^HTTP\/(?!1\.[01] )/m],
  ['a switch of protocols', /^HTTP\/1\.[01] 101/m],
  ['a status below 100', /^HTTP\/1\.[01] 0/m],
  // oxlint-disable-next-line no-control-regex -- it is about those.
  ['a control character in the reason phrase', /^HTTP\/1\.[01] \d{3}[^\r\n]*[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/m],
  ['a transfer coding in HTTP/1.0', /^HTTP\/1\.0[^]*\ntransfer-encoding:/im],
];

/** What only node refuses. */
function isKnownLimit(text: string, { trailers }: Read, { error }: NodeRead): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  // It takes an interim response of a connection that is to close for the last one (RFC 9110 §15.2).
  if (code === 'HPE_CLOSED_CONNECTION') return /^HTTP\/1\.[01] 1/.test(text);
  // It reads framing from trailers, where nobody may (RFC 9110 §6.5.1): here they are fields like any other.
  const frames = trailers?.some((name) => /^(?:content-length|transfer-encoding)$/i.test(name)) ?? false;
  return frames && /^HPE_INVALID_(?:CONTENT_LENGTH|TRANSFER_ENCODING)$/.test(code ?? '');
}

const token = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}$/);
const value = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,20}$/);
const digit = fc.stringMatching(/^[\da-fA-F]$/);

const field = fc.oneof(
  fc.tuple(token, value).map(([name, text]) => `${name}:${text}\r\n`),
  fc.constantFrom(
    'Connection: close\r\n',
    'Connection: keep-alive\r\n',
    'Keep-Alive: timeout=5\r\n',
    'Trailer: X\r\n',
    'Content-Type: text/plain\r\n',
    'Upgrade: x\r\n',
    'Connection: upgrade\r\n',
  ),
);
const someFields = fc.array(field, { maxLength: 4 }).map((lines) => lines.join(''));

const version = mostly('1.1', '1.0');
const statusAndPhrase = mostly(
  '200 OK',
  '204 No Content',
  '304 Not Modified',
  '205 A',
  '404',
  '500 ',
  '999 \xff',
  '600 x',
);
const statusLine = fc.tuple(version, statusAndPhrase).map(([number, rest]) => `HTTP/${number} ${rest}\r\n`);

const piece = fc.stringMatching(/^[\0-\xff]{0,20}$/);
const extension = mostly('', ';a', ';a=b', ' ;a="b;c"', ';', '\t; x');
const zeros = mostly('', '0', '00');
const chunk = fc
  .tuple(piece, extension, zeros)
  .map(([bytes, more, front]) =>
    bytes === '' ? '' : `${front}${bytes.length.toString(16)}${more}\r\n${bytes}\r\n`,
  );
const chunks = fc
  .tuple(
    fc.array(chunk, { maxLength: 3 }),
    extension,
    someFields,
    mostly('', 'Content-Length: 1\r\n', 'Transfer-Encoding: chunked\r\n'),
  )
  .map(([all, more, ...trailers]) => `${all.join('')}0${more}\r\n${trailers.join('')}\r\n`);

const framed = fc.oneof(
  piece.map((body) => [`Content-Length: ${body.length}\r\n`, body]),
  chunks.map((body) => ['Transfer-Encoding: chunked\r\n', body]),
  piece.map((body) => ['', body]),
  fc
    .tuple(fc.constantFrom('gzip', 'chunked, gzip', 'gzip, chunked', 'identity', '', 'chunked,'), piece)
    .map(([coding, body]) => [`Transfer-Encoding: ${coding}\r\n`, body]),
  fc
    .tuple(piece, chunks)
    .map(([one, two]) => [`Content-Length: ${one.length}\r\nTransfer-Encoding: chunked\r\n`, two]),
);

const interim = fc
  .tuple(mostly('103 Early Hints', '100 Continue', '102 ', '199 A', '101 Switching'), someFields)
  .map(([line, lines]) => `HTTP/1.1 ${line}\r\n${lines}\r\n`);

const response = fc
  .tuple(
    fc.array(interim, { maxLength: 2 }),
    statusLine,
    someFields,
    framed,
    someFields,
    mostly('', 'more', '\r\n', 'HTTP/1.1 '),
  )
  .map(([first, line, before, [framing, body], after, more]) =>
    [...first, line, before, framing, after, '\r\n', body, more].join(''),
  );

/** One byte is changed at or beside a byte that means something. */
interface Change {
  readonly how: 'insert' | 'delete' | 'replace' | 'double';
  readonly at: number;
  readonly beside: number;
  readonly with: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  how: fc.constantFrom('insert', 'delete', 'replace', 'double'),
  at: fc.nat(300),
  beside: fc.integer({ min: -1, max: 1 }),
  with: fc.oneof(
    fc.constantFrom(
      '\r',
      '\n',
      '\r\n',
      ':',
      ' ',
      '\t',
      ',',
      ';',
      '\0',
      '\x7f',
      '-',
      '+',
      '\x0b',
      '\x80',
      '"',
      '\\',
    ),
    digit,
  ),
});

function changed(text: string, { how, at, beside, with: more }: Change): string {
  const places = [...text.matchAll(/[\r\n:,;\d ]/g)].map(({ index }) => index);
  if (places.length === 0) return text;
  const place = Math.max(0, places[at % places.length]! + beside);
  const [front, old, back] = [text.slice(0, place), text.slice(place, place + 1), text.slice(place + 1)];
  switch (how) {
    case 'insert':
      return front + more + old + back;
    case 'delete':
      return front + back;
    case 'replace':
      return front + more + back;
    default:
      return front + old + old + back;
  }
}

const mutated = fc
  .tuple(response, fc.array(change, { maxLength: 3 }))
  .map(([text, changes]) => changes.reduce(changed, text));

/** Bytes in any order, of those that mean something. */
const raw = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'HTTP/1.1 200 OK\r\n',
        'HTTP/1.0 ',
        'HTTP/1.',
        '200',
        '\r\n',
        '\r\n\r\n',
        'A: b\r\n',
        '0\r\n\r\n',
      ),
      fc.constantFrom(
        'Content-Length: ',
        'Transfer-Encoding: chunked\r\n',
        '1',
        '2\r\n',
        'x',
        '\r',
        '\n',
        ':',
        ';',
        ' ',
      ),
      fc.stringMatching(/^[\0-\xff]{1,3}$/),
    ),
    { maxLength: 16 },
  )
  .map((parts) => parts.join(''));

const method = mostly('GET', 'HEAD', 'POST');

const single = (bytes: Buffer): Buffer[] => cutAt(bytes, [...bytes.keys()].slice(1));

/** A coding that the gateway refuses when it sees the head. */
const isUnread = ({ heads }: Read): boolean => {
  const coding = heads.at(-1)?.transferEncoding ?? null;
  return coding !== null && coding.toLowerCase() !== 'chunked';
};

const asNode = ({ heads, body, trailers, error }: Read) => ({
  heads: heads.map(({ status, fields }) => ({ status, fields })),
  body,
  trailers: trailers ?? [],
  error,
});

/** Node is given what ours took for the response, the last byte by itself. */
async function expectSame(bytes: Buffer, ours: Read, asked: string): Promise<void> {
  const byEnd = ours.endedAt === bytes.length;
  const taken = byEnd ? bytes : bytes.subarray(0, ours.endedAt + 1);
  const { endedAt, ...node } = await nodeReads(cutAt(taken, byEnd ? [] : [taken.length - 1]), asked);
  if (isKnownLimit(taken.toString('latin1'), ours, { endedAt, ...node })) return;
  expect(node).toEqual(asNode(ours));
  expect(endedAt).toBe(1);
}

/** Node must refuse it too, unless it is one of what only the gateway refuses. */
async function expectRefused(bytes: Buffer, asked: string): Promise<void> {
  const node = await nodeReads([bytes], asked);
  if (node.endedAt < 0) return;
  const text = bytes.toString('latin1');
  const isAllowed = STRICTER.some(([, what]) => what.test(text));
  expect(isAllowed, `only node takes ${JSON.stringify(text)}`).toBe(true);
}

/** However it is split, it is the same. */
function expectSameSplit(bytes: Buffer, ours: Read, asked: string, cuts: readonly number[]): void {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((one, other) => one - other);
  const split = readPieces(cutAt(bytes, places), {
    method: asked,
    ends: true,
    pauses: cuts.length % 2 === 0,
  });
  const { heads, body, ends, trailers } = ours;
  expect(split).toMatchObject({ heads, ends, trailers });
  expect([split.body, split.error?.constructor]).toEqual([body, ours.error?.constructor]);
}

describe('whatever a backend sends', () => {
  const counts = { taken: 0, refused: 0 };

  it.each([
    ['responses with mistakes', mutated],
    ['bytes in any order', raw],
  ])(
    "%s: what is read is what node's own client reads",
    { timeout: FUZZ_TIMEOUT_MS },
    async (what, texts) => {
      await fc.assert(
        fc.asyncProperty(
          texts,
          method,
          fc.array(fc.nat(500), { maxLength: 4 }),
          async (text, asked, cuts) => {
            const bytes = bytesOf(text);
            const ours = readPieces(single(bytes), { method: asked, ends: true });
            expectSameSplit(bytes, ours, asked, cuts);
            const taken = ours.ends === 1 && !isUnread(ours);
            counts[taken ? 'taken' : 'refused']++;
            if (taken) await expectSame(bytes, ours, asked);
            else if (!isUnread(ours)) await expectRefused(bytes, asked);
          },
        ),
        fuzzing(what),
      );
    },
  );

  it('some of it was taken, and some refused', () => {
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(10);
    console.info(JSON.stringify(counts));
  });
});
