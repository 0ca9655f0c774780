import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where references are looked up; relative files lie beside the document. */
export interface ReferenceSource {
  readonly env: Environment;
  readonly directory: string;
}

export interface Expansion {
  readonly text: string;
  /** The references as written, without defaults: all that may be shown of the value. Null when there was none. */
  readonly shown: string | null;
  /** What is wrong; empty when every reference was found. */
  readonly problems: readonly string[];
}

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/;
const MAX_FILE_BYTES = 1024 * 1024;

/** Replaces `${NAME}`, `${NAME:-default}` and `${file:path}`; `$${` stands for a literal `${`. */
export function expandReferences(text: string, source: ReferenceSource): Expansion {
  const problems: string[] = [];
  const shown: string[] = [];
  const expanded = text.replace(REFERENCE, (whole, body: string | undefined, end: string | undefined) => {
    if (whole === '$${') return '${';
    const found = end === '}' ? lookUp(body ?? '', source) : malformed();
    shown.push(`\${${(body ?? '').replace(/:-[^]*$/, '')}}`);
    if ('problem' in found) problems.push(found.problem);
    return 'value' in found ? found.value : '';
  });
  return { text: expanded, shown: shown.length > 0 ? shown.join(' ') : null, problems };
}

type Found = { readonly value: string } | { readonly problem: string };

function lookUp(body: string, source: ReferenceSource): Found {
  if (body.startsWith('file:')) return fileContent(body.slice('file:'.length), source.directory);
  const parts = VARIABLE.exec(body);
  if (!parts || body.includes('${')) return malformed();
  const [, name = '', fallback] = parts;
  const value = Object.hasOwn(source.env, name) ? source.env[name] : undefined;
  if (fallback !== undefined) return { value: value === undefined || value === '' ? fallback : value };
  if (value === undefined)
    return { problem: `the variable ${name} is not set, expected it in the environment` };
  return { value };
}

function fileContent(path: string, directory: string): Found {
  const file = resolve(directory, path);
  try {
    const stat = statSync(file);
    if (!stat.isFile()) return { problem: `${path} is not a file, expected a readable file` };
    if (stat.size > MAX_FILE_BYTES) return { problem: `the file ${path} is too large, expected at most 1mb` };
    return { value: readFileSync(file, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    return { problem: `the file ${path} cannot be read (${errorCode(error)}), expected a readable file` };
  }
}

/** The code of a system error, without its message: that may hold more than should be shown. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
}

function malformed(): Found {
  return {
    problem:
      'holds a malformed reference, expected ${NAME}, ${NAME:-default} or ${file:/path} ($${ for a literal ${)',
  };
}
