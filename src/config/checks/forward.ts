import type { JwtConfig } from '../auth.config.js';
import type { Draft } from '../draft.js';
import { OF_REQUESTS } from './transforms.js';

/** Claims may become any header but those that frame a request or that the gateway writes itself. */
export function checkForward({ document, report }: Draft, forward: JwtConfig['forward']): void {
  const requestId = plain(document.request_id.header);
  for (const [claim, header] of Object.entries(forward)) {
    const name = plain(header);
    if (OF_REQUESTS.has(name) || name === requestId || /^(x-forwarded|sec-websocket)-/.test(name))
      report.at(forward, claim, 'names a header that the gateway writes itself, expected another one');
  }
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
