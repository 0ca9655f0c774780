import type { ApiKeysConfig } from '../config/auth.config.js';
import type { Exchange } from '../exchange/exchange.js';
import { queryPicker } from './query-picker.js';

/** Where the document's API keys come in, on routes too that do not ask for one: the upstream may look at them. */
export class ForwardedKeys {
  /** As upstreams may read it: lower case, with `-` for `_`. */
  readonly #header: string;
  readonly #pick: ((query: string) => string) | null;

  constructor({ header, query }: Pick<ApiKeysConfig, 'header' | 'query'>) {
    this.#header = plain(header);
    this.#pick = query === null ? null : queryPicker([query]);
  }

  /** Whether the request brings one, right or wrong. */
  isIn({ head, target }: Exchange): boolean {
    const { rawHeaders } = head;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      if (rawHeaders[at]!.length === this.#header.length && plain(rawHeaders[at]!) === this.#header)
        return true;
    }
    if (this.#pick === null || !target?.query) return false;
    return this.#pick(target.query) !== '?';
  }
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
