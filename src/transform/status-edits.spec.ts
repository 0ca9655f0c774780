import { describe, expect, it } from 'vitest';

import type { UpstreamHead } from '../exchange/response.js';
import { compileStatusEdits } from './status-edits.js';

const head = (status: number): UpstreamHead => ({
  status,
  statusText: 'Its Own',
  headers: ['X', '1', 'content-length', '7'],
  contentLength: 7,
});

describe('compileStatusEdits', () => {
  const edits = compileStatusEdits([
    { from: 404, to: 200 },
    { from: 204, to: 200 },
  ])!;

  it('is nothing without edits', () => {
    expect(compileStatusEdits([])).toBeNull();
  });

  it('maps the status and its text, and nothing else', () => {
    expect(edits(head(404))).toEqual({ ...head(404), status: 200, statusText: 'OK' });
  });

  it('leaves other answers as they are', () => {
    const other = head(500);
    expect(edits(other)).toBe(other);
  });

  it('says that the body is empty where the status said so', () => {
    expect(edits({ ...head(204), contentLength: -1 })).toEqual({
      status: 200,
      statusText: 'OK',
      headers: ['X', '1', 'Content-Length', '0'],
      contentLength: 0,
    });
  });
});
