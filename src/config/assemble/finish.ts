import type { Draft } from '../draft.js';
import { GatewayConfig } from '../gateway.config.js';
import { keysOf } from '../keys/key.js';

/** The document as it is handed on, frozen to its last value. */
export function finish({ document, routes, upstreams }: Draft): GatewayConfig {
  const config = new GatewayConfig();
  for (const key of keysOf(GatewayConfig).keys()) Reflect.set(config, key, Reflect.get(document, key));
  config.routes = routes;
  config.upstreams = upstreams;
  deepFreeze(config);
  return config;
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
}
