import type { JwtConfig } from '../../config/auth.config.js';
import type { Identity } from '../../exchange/identity.js';
import { claimAt } from './claims.js';

/** A header, and the claims of which the first that says something is its value. */
interface ForwardedHeader {
  readonly name: string;
  readonly claims: readonly string[];
}

/** Which claims the upstream is told, compiled once for a document. */
export class ForwardedClaims {
  readonly #headers: readonly ForwardedHeader[];

  constructor({ forward }: Pick<JwtConfig, 'forward'>) {
    const names = new Map(Object.values(forward).map((name) => [name.toLowerCase(), name]));
    this.#headers = Array.from(names, ([lower, name]) => ({ name, claims: claimsFor(forward, lower) }));
  }

  /** Name, value, name, value, …: visible ASCII whatever the claims hold. */
  headersOf(identity: Identity): string[] {
    return this.#headers.flatMap(({ name, claims }) => {
      for (const claim of claims) {
        const text = headerText(valueOf(identity, claim));
        if (text !== '') return [name, text];
      }
      return [];
    });
  }
}

/** `uid` wins over `sub`; others go in the order of the document. */
function claimsFor(forward: JwtConfig['forward'], lower: string): string[] {
  const claims = Object.keys(forward).filter((claim) => forward[claim]!.toLowerCase() === lower);
  return claims.toSorted((a, b) => Number(b === 'uid') - Number(a === 'uid'));
}

/** `roles` are those by which the gateway judges, wherever in the token they stand. */
function valueOf({ roles, claims }: Identity, claim: string): unknown {
  return claim === 'roles' ? roles : claimAt(claims, claim);
}

/** Lists are joined by commas, so a comma within one of their values is escaped; objects say nothing. */
function headerText(value: unknown): string {
  if (!Array.isArray(value)) return scalarText(value);
  const texts = value.map((item) => scalarText(item).replaceAll(',', '%2C'));
  return texts.filter((text) => text !== '').join(',');
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return visible(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function visible(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]+/g, (run) =>
    Array.from(Buffer.from(run), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
