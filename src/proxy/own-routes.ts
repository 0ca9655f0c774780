import type { FastifyInstance } from 'fastify';

import { Refusal } from '../exchange/refusal.js';

/** The gateway's own endpoints on one port, by path: which methods each of them takes. */
export class OwnRoutes {
  readonly #routes: { readonly segments: readonly string[]; readonly method: string }[] = [];

  /** To be called before the application's routes are registered. */
  collect(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, method }) => {
      if (url.includes('*')) return;
      for (const one of [method].flat()) this.#routes.push({ segments: url.split('/'), method: one });
    });
  }

  /** For a request that no endpoint took: undefined when none has this path. */
  refusalAt(path: string): Refusal | undefined {
    const allowed = this.methodsAt(path);
    return allowed === null ? undefined : new Refusal('method_not_allowed', { headers: { Allow: allowed } });
  }

  /** As an `Allow` header tells them (RFC 9110 §10.2.1); null when no endpoint has this path. */
  methodsAt(path: string): string | null {
    const segments = path.split('/');
    const methods = this.#routes
      .filter((route) => fits(route.segments, segments))
      .map(({ method }) => method);
    return methods.length === 0 ? null : [...new Set(methods)].toSorted().join(', ');
  }
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, at) => (part.startsWith(':') ? segments[at] !== '' : part === segments[at]));
}
