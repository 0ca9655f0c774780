import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

import { ConfigError, ConfigIssue } from '../errors.js';
import { errorCode } from '../references.js';
import { LineIndex } from './line-index.js';

/** The largest document that is read: bytes of a file, characters of a text. */
export const MAX_DOCUMENT = 16 * 1024 * 1024;

export const TOO_LARGE = 'is larger than 16mb, expected a smaller document';

/** The text of a config file. Throws a {@link ConfigError} for what is no regular file, too large or not UTF-8. */
export function documentText(file: string): string {
  const bytes = readBytes(file);
  if (!isUtf8(bytes)) throw new ConfigError([foreignByte(file, bytes)]);
  return bytes.toString('utf8');
}

/** A problem of the file as a whole. */
export function fileProblem(file: string, message: string): ConfigError {
  return new ConfigError([new ConfigIssue(file, 1, 1, '', message)]);
}

function readBytes(file: string): Buffer {
  const descriptor = opened(file);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw fileProblem(file, 'is not a regular file, expected a YAML or JSON document');
    if (stat.size > MAX_DOCUMENT) throw fileProblem(file, TOO_LARGE);
    return readFileSync(descriptor);
  } catch (error) {
    throw error instanceof ConfigError ? error : unreadable(file, error);
  } finally {
    closeSync(descriptor);
  }
}

/** Not waiting for anyone: opening a named pipe would last until somebody writes into it. */
function opened(file: string): number {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): ConfigError {
  return fileProblem(file, `cannot be read (${errorCode(error)}), expected a YAML or JSON document`);
}

/** Decoding replaces what is not UTF-8, so the first byte that does not come back is where it begins to differ. */
function foreignByte(file: string, bytes: Buffer): ConfigIssue {
  const decoded = Buffer.from(bytes.toString('utf8'));
  const at = bytes.findIndex((byte, index) => byte !== decoded[index]);
  const before = bytes.toString('utf8', 0, at);
  const { line, column } = new LineIndex(before).position(before.length);
  const byte = `0x${bytes[at]!.toString(16).toUpperCase().padStart(2, '0')}`;
  return new ConfigIssue(
    file,
    line,
    column,
    '',
    `is not UTF-8 (${byte} at byte ${at}), expected a text in UTF-8`,
  );
}
