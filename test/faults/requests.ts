import { crc32 } from 'node:zlib';

import { contentOf } from './content.js';
import type { RequestPlan } from './plan.js';

/** The head of a planned request. */
export function headOf(plan: RequestPlan, extra: readonly string[] = []): string {
  const lines = [
    `${plan.method} /${plan.group}/${plan.fault} HTTP/${plan.version}`,
    'Host: faults.test',
    `X-Request-Id: ${plan.tag}`,
    `X-Tag: ${plan.tag}`,
    `X-Fault: ${plan.fault}`,
    `X-Size: ${plan.size}`,
    ...extra,
  ];
  if (plan.upload) {
    lines.push(`X-Upload-Crc: ${uploadCrc(plan)}`);
    lines.push(plan.upload.chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${plan.upload.size}`);
    if (plan.upload.expect) lines.push('Expect: 100-continue');
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The bytes after the head, in pieces. */
export function uploadPieces(plan: RequestPlan, pieceSize = 16_000): Buffer[] {
  if (!plan.upload) return [];
  const body = uploadOf(plan);
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += pieceSize) {
    const piece = body.subarray(at, at + pieceSize);
    pieces.push(plan.upload.chunked ? chunk(piece) : piece);
  }
  if (plan.upload.chunked) pieces.push(Buffer.from('0\r\n\r\n'));
  return pieces;
}

export function uploadCrc(plan: RequestPlan): number {
  return crc32(uploadOf(plan));
}

function uploadOf(plan: RequestPlan): Buffer {
  return contentOf(`${plan.tag}-upload`, plan.upload?.size ?? 0);
}

function chunk(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
}
