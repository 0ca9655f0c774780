import { ConfigIssue } from './errors.js';
import type { GatewayConfig } from './gateway.config.js';
import type { Trace } from './trace.js';

const TRACES = new WeakMap<Readonly<GatewayConfig>, Trace>();

/** Keeps the places of a loaded document, for what is found wrong with it later. */
export function rememberTrace(config: Readonly<GatewayConfig>, trace: Trace): void {
  TRACES.set(config, trace);
}

/** Undefined for a document that was not read from a text. */
export function traceOf(config: Readonly<GatewayConfig>): Trace | undefined {
  return TRACES.get(config);
}

/** Says what is wrong with a key of the document, at the innermost part of its path that was written. */
export function issueAt(config: Readonly<GatewayConfig>, path: string, message: string): ConfigIssue {
  const trace = traceOf(config);
  if (!trace) return new ConfigIssue('document', 1, 1, path, message);
  return trace.issue({ path, offset: offsetOf(config, path, trace) }, message);
}

function offsetOf(config: Readonly<GatewayConfig>, path: string, trace: Trace): number {
  const short = path === 'server.port' ? trace.placeOf(config)?.keys.get('port') : undefined;
  if (short !== undefined) return short;
  let offset = 0;
  let owner: unknown = config;
  for (const key of path.split('.')) {
    const place = typeof owner === 'object' && owner !== null ? trace.placeOf(owner) : undefined;
    const written = place?.keys.get(key);
    if (written === undefined) return offset;
    offset = written;
    owner = Reflect.get(owner as object, key);
  }
  return offset;
}

/** Says what is wrong with what an object of the document holds under a key. */
export function issueIn(
  config: Readonly<GatewayConfig>,
  owner: object,
  key: string | number,
  message: string,
): ConfigIssue {
  const trace = traceOf(config);
  return trace?.issue(trace.spot(owner, key), message) ?? new ConfigIssue('document', 1, 1, '', message);
}
