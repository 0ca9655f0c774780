import { describe, expect, it } from 'vitest';

import { BodyRecord } from './body-record.js';

function recorded(limit: number, ...chunks: string[]): BodyRecord {
  const record = new BodyRecord(limit);
  for (const chunk of chunks) record.add(Buffer.from(chunk));
  return record;
}

describe('BodyRecord', () => {
  it('joins what came, byte for byte', () => {
    const pieces = Array.from({ length: 500 }, (_, index) => `${index},`);
    const { bytes, whole } = recorded(64 * 1024, ...pieces);
    expect([bytes.toString(), whole]).toEqual([pieces.join(''), true]);
  });

  it('keeps a body in one piece as it is, without a copy', () => {
    const chunk = Buffer.from('all of it');
    const record = new BodyRecord(100);
    record.add(chunk);
    expect(record.bytes.buffer).toBe(chunk.buffer);
    expect(record.bytes.byteOffset).toBe(chunk.byteOffset);
  });

  it('never changes what it has given away', () => {
    const record = recorded(100, 'ab');
    const before = record.bytes;
    for (const chunk of ['cd', 'e', 'fghijklm']) record.add(Buffer.from(chunk));
    expect([before.toString(), record.bytes.toString()]).toEqual(['ab', 'abcdefghijklm']);
  });

  it('never changes the piece it was given', () => {
    const memory = Buffer.from('abXX');
    const record = new BodyRecord(100);
    record.add(memory.subarray(0, 2));
    record.add(Buffer.from('cd'));
    expect(memory.toString()).toBe('abXX');
  });

  it('holds up to its limit, and nothing at all beyond it', () => {
    expect(recorded(4, 'ab', 'cd').bytes.toString()).toBe('abcd');
    const over = recorded(4, 'ab', 'cd', 'e', 'f');
    expect([over.whole, over.bytes.length, over.bytes.buffer.byteLength]).toEqual([false, 0, 0]);
    expect(recorded(0, 'a').whole).toBe(false);
  });

  it('takes no more room than its limit, and no more than twice what came', () => {
    const record = recorded(1_000, 'a'.repeat(300), 'b');
    expect(record.bytes.buffer.byteLength).toBe(600);
    record.add(Buffer.alloc(400));
    expect(record.bytes.buffer.byteLength).toBe(1_000);
  });
});
