import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { CLOSE_TO_CLIENT, closeToUpstream } from './close-frame.js';
import { FrameBorders } from './frame-borders.js';

interface Frame {
  readonly opcode: number;
  readonly length: number;
  readonly masked: boolean;
  /** The length written with more bytes than it needs. */
  readonly long: boolean;
}

const frames = fc.array(
  fc.record<Frame>({
    opcode: fc.constantFrom(0x0, 0x1, 0x2, 0x9, 0xa),
    length: fc.oneof(fc.nat(200), fc.constantFrom(0, 125, 126, 127, 65_535, 65_536, 70_000)),
    masked: fc.boolean(),
    long: fc.boolean(),
  }),
  { maxLength: 8 },
);

function bytesOf({ opcode, length, masked, long }: Frame): Buffer {
  const mask = masked ? 0x80 : 0;
  let head = Buffer.from([0x80 | opcode, mask | length]);
  if (long || length > 65_535) {
    head = Buffer.from([0x80 | opcode, mask | 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.writeUInt32BE(length, 6);
  } else if (length > 125) {
    head = Buffer.from([0x80 | opcode, mask | 126, length >> 8, length & 0xff]);
  }
  return Buffer.concat([head, Buffer.alloc(masked ? 4 : 0, 0xff), Buffer.alloc(length, 0x88)]);
}

/** The bytes in pieces, cut where the numbers say. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b);
  return [...at, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : at[index - 1], end));
}

describe('FrameBorders', () => {
  it('is at a border exactly between frames, however the bytes are cut', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat(), { maxLength: 20 }), (list, cuts) => {
        const borders = new Set([0]);
        let total = 0;
        for (const frame of list) borders.add((total += bytesOf(frame).length));
        const tracker = new FrameBorders();
        let passed = 0;
        for (const piece of pieces(Buffer.concat(list.map(bytesOf)), cuts)) {
          tracker.pass(piece);
          passed += piece.length;
          expect(tracker.atBorder).toBe(borders.has(passed));
        }
        expect(tracker.closeSeen).toBe(false);
      }),
    );
  });

  it('stops at the first border of a chunk and goes on from there', () => {
    fc.assert(
      fc.property(frames, (list) => {
        const bytes = Buffer.concat(list.map(bytesOf));
        const tracker = new FrameBorders();
        let at = 0;
        for (const frame of list) {
          expect(tracker.passToBorder(bytes.subarray(at))).toBe(bytesOf(frame).length);
          at += bytesOf(frame).length;
        }
        expect(tracker.passToBorder(bytes.subarray(at))).toBe(-1);
      }),
    );
  });

  it('finds none in a chunk that ends within a frame', () => {
    const tracker = new FrameBorders();
    expect(tracker.passToBorder(Buffer.from([0x81, 5, 0x61]))).toBe(-1);
    expect(tracker.passToBorder(Buffer.from('bcdef'))).toBe(4);
  });

  it.each([
    ['as a server sends it', CLOSE_TO_CLIENT],
    ['as a client sends it', closeToUpstream()],
    ['without a code', Buffer.from([0x88, 0])],
  ])('sees a close frame %s', (_what, frame) => {
    const tracker = new FrameBorders();
    tracker.pass(frame);
    expect([tracker.closeSeen, tracker.atBorder]).toEqual([true, true]);
  });
});

describe('closeToUpstream', () => {
  it('is masked with another key each time, and says 1001 under it', () => {
    const [first, second] = [closeToUpstream(), closeToUpstream()];
    for (const frame of [first, second]) {
      expect([...frame.subarray(0, 2)]).toEqual([0x88, 0x82]);
      expect([frame[6]! ^ frame[2]!, frame[7]! ^ frame[3]!]).toEqual([0x03, 0xe9]);
    }
    expect(first.equals(second)).toBe(false);
  });
});
