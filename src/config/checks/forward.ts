import type { JwtConfig } from '../auth.config.js';
import type { Draft } from '../draft.js';
import { OF_REQUESTS } from './transforms.js';

/** Claims may become any header but those that frame a request or that the gateway writes itself. */
export function checkForward(draft: Draft, forward: JwtConfig['forward']): void {
  for (const [claim, header] of Object.entries(forward)) {
    if (isOwnHeader(draft, header))
      draft.report.at(forward, claim, 'names a header that the gateway writes itself, expected another one');
  }
}

/** Whether a header frames a request or is written by the gateway. */
export function isOwnHeader({ document }: Draft, header: string): boolean {
  const name = plain(header);
  if (OF_REQUESTS.has(name) || name === plain(document.request_id.header)) return true;
  return /^(x-forwarded|x-client-cert|sec-websocket)(-|$)/.test(name);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
