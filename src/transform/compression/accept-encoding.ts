export type Coding = 'br' | 'gzip';

/** What a client takes, of what there is to offer. */
export interface CodingChoice {
  /** Null = the body as it is. */
  readonly coding: Coding | null;
  /** The client has ruled out the body as it is. */
  readonly identityRefused: boolean;
}

/** RFC 9110 §12.4.2 */
const ELEMENT = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

/**
 * Chooses by `Accept-Encoding` (RFC 9110 §12.5.3): the coding with the highest weight, the first of those offered where
 * weights are alike, and the body as it is only where the client names `identity` with a higher one. Elements that break
 * the grammar count for nothing.
 */
export function chooseCoding(accept: string | null, offered: readonly Coding[]): CodingChoice {
  if (accept === null) return { coding: null, identityRefused: false };
  const weights = weightsIn(accept);
  const any = weights.get('*');
  const identity = weights.get('identity');
  let coding: Coding | null = null;
  let best = 0;
  for (const name of offered) {
    const weight = weights.get(name) ?? any ?? 0;
    if (weight <= best) continue;
    best = weight;
    coding = name;
  }
  if (identity !== undefined && identity > best) coding = null;
  return { coding, identityRefused: (identity ?? any) === 0 };
}

function weightsIn(accept: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const element of accept.split(',')) {
    const [, name = '', weight = '1'] = ELEMENT.exec(element.trim()) ?? [];
    const lower = name.toLowerCase();
    // RFC 9110 §8.4.1.3: x-gzip is another name for gzip.
    const coding = lower === 'x-gzip' ? 'gzip' : lower;
    if (name !== '') weights.set(coding, Math.max(Number(weight), weights.get(coding) ?? 0));
  }
  return weights;
}
