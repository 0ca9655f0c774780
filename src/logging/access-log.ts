import type { Clock } from '../common/clock.js';
import type { Exchange } from '../exchange/exchange.js';
import type { ExchangeObserver } from '../exchange/observer.js';
import { IsoTime, jsonText } from './line.js';
import type { LogOutput } from './output.js';
import { clip, type Redaction } from './redaction.js';

/**
 * One `request completed` line for every exchange. It is written by hand: half the price of pino's own
 * serialisation, and the fields are always the same. Every text that did not come from a fixed alphabet goes
 * through `JSON.stringify`, so a line is always one JSON object.
 */
export class AccessLog implements ExchangeObserver {
  /** A reload may switch it. */
  enabled = true;
  private readonly time = new IsoTime();

  constructor(
    private readonly output: Pick<LogOutput, 'write'>,
    private readonly redaction: Redaction,
    private readonly clock: Clock,
  ) {}

  ended(exchange: Exchange): void {
    if (!this.enabled) return;
    this.output.write(
      `{"time":"${this.time.format(this.clock.wall())}","level":"INFO","msg":"request completed"` +
        this.requestFields(exchange) +
        outcomeFields(exchange) +
        '}\n',
    );
  }

  private requestFields(exchange: Exchange): string {
    const { head, route } = exchange;
    return (
      `,"request_id":${jsonText(exchange.id)}` +
      `,"method":${clientText(head.method)}` +
      `,"path":${clientText(this.redaction.redactTarget(head.target))}` +
      `,"route":${jsonText(route && route.id)}` +
      `,"remote_addr":${remoteAddr(head.remoteAddress, head.remotePort)}` +
      `,"remote_ip":${jsonText(exchange.clientIp || head.remoteAddress || null)}` +
      `,"user_agent":${head.userAgent === null ? 'null' : clientText(head.userAgent)}`
    );
  }
}

function outcomeFields(exchange: Exchange): string {
  const { backend, route, cache, reason } = exchange;
  const upstream = exchange.upstream ?? (route && route.upstream);
  return (
    `,"status":${exchange.status}` +
    `,"bytes_written":${exchange.bytesWritten}` +
    `,"duration_ms":${milliseconds(exchange.endedAt - exchange.startedAt)}` +
    `,"upstream":${jsonText(upstream && upstream.name)}` +
    `,"backend":${jsonText(backend && backend.url)}` +
    `,"attempts":${exchange.attempts}` +
    `,"cache":${cache === null ? 'null' : `"${cache}"`}` +
    `,"reason":${reason === null ? 'null' : `"${reason}"`}` +
    `,"trace_id":${jsonText(exchange.traceId)}`
  );
}

/** Empty text (the parser refused before there was any) is null. */
function clientText(text: string): string {
  return text === '' ? 'null' : JSON.stringify(clip(text));
}

function remoteAddr(address: string, port: number): string {
  if (address === '') return 'null';
  return address.includes(':') ? `"[${address}]:${port}"` : `"${address}:${port}"`;
}

/** Milliseconds with at most three decimals; never a negative number, never `NaN`. */
function milliseconds(duration: number): number {
  return duration > 0 ? Math.round(duration * 1_000) / 1_000 : 0;
}
