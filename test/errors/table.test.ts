import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';

import { describe, expect, it } from 'vitest';

import { type AnswerReason, REASONS } from '../../src/exchange/reasons.js';
import { ROOT } from '../support/index.js';

const page = readFileSync(`${ROOT}docs/errors.md`, 'utf8');

/** The cells of each row of the first table under a heading, without its two head lines. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading))!;
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

describe('the table of docs/errors.md', () => {
  const documented = rowsUnder('Reasons').filter((cells) => cells.length === 4);

  it('is that of the code: the same reasons, statuses and texts in the same order', () => {
    expect(documented.map(([code, status, error]) => [code, Number(status), error])).toEqual(
      Object.entries(REASONS).map(([code, { status, error }]) => [`\`${code}\``, status, error]),
    );
  });

  it('says of each when it comes', () => {
    expect(documented.filter((cells) => cells[3] === '')).toEqual([]);
  });

  it('names the three reasons that have no answer, and no others', () => {
    const silent = rowsUnder('Reasons').filter((cells) => cells.length === 3);
    const codes = silent
      .map(([code = '']) => code.replaceAll('`', ''))
      .filter((code) => /^[a-z_]+_[a-z]+$/.test(code));
    expect(codes).toEqual(['client_closed', 'upstream_aborted', 'gateway_stopped']);
    expect(codes.some((code) => code in REASONS)).toBe(false);
  });

  it('shows an example that is one', () => {
    const [, line = '', body = ''] = /```http\n(HTTP[^\n]*)\n(?:.*\n)*?\n(\{.*\})\n```/.exec(page) ?? [];
    const problem = JSON.parse(body) as { code: AnswerReason; status: number; error: string };
    expect(REASONS[problem.code]).toEqual({ status: problem.status, error: problem.error });
    expect(line).toBe(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`);
    expect(page).toContain(`Content-Length: ${Buffer.byteLength(body)}\n`);
  });
});
