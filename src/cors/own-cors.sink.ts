import { PassingSink } from '../exchange/passing-sink.js';
import type { ResponseSink, UpstreamHead } from '../exchange/response.js';

const PREFIX = 'access-control-';

/** Drops what the upstream says of CORS: on this route the gateway alone does. */
export class OwnCorsSink extends PassingSink {
  constructor(
    sink: ResponseSink,
    private readonly varies: boolean,
  ) {
    super(sink);
  }

  override head(head: UpstreamHead): void {
    dropCors(head.headers, this.varies);
    super.head(head);
  }
}

/**
 * In place; most answers have nothing to drop.
 *
 * @param lines name, value, name, value, …
 * @param varies the gateway says `Vary: Origin` itself: once is enough
 */
export function dropCors(lines: string[], varies: boolean): void {
  let kept = 0;
  for (let at = 0; at < lines.length; at += 2) {
    const name = lines[at]!;
    const value = lines[at + 1]!;
    if (isCors(name) || (varies && isVaryOrigin(name, value))) continue;
    if (kept < at) {
      lines[kept] = name;
      lines[kept + 1] = value;
    }
    kept += 2;
  }
  lines.length = kept;
}

function isCors(name: string): boolean {
  return name.length > PREFIX.length && name.toLowerCase().startsWith(PREFIX);
}

function isVaryOrigin(name: string, value: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'vary' && value.toLowerCase() === 'origin';
}
