import { durationMs } from '../common/duration.js';
import { sizeBytes } from '../common/size.js';
import type { RouteConfig } from '../config/route.config.js';
import type { Exchange } from '../exchange/exchange.js';
import type { UpstreamChoice } from '../exchange/upstream.js';
import type { RetryPolicy } from './attempts/retry-policy.js';
import type { MirrorPlan } from './mirror/mirror-plan.js';
import type { OutgoingRules } from './request-headers.js';

/** How a route's upgrades to WebSocket are treated. Times in milliseconds. */
export interface WebSocketPlan {
  readonly enabled: boolean;
  /** Longest silence of both sides together; 0 = no bound. */
  readonly idleMs: number;
  /** To the upstream's answer, all attempts together. */
  readonly handshakeMs: number;
  /** 0 = no bound. */
  readonly maxConnections: number;
}

/** How a route's exchanges are forwarded; compiled once. Times in milliseconds, sizes in bytes. */
export interface ForwardPlan {
  readonly choice: UpstreamChoice;
  /** null = an exchange is never sent again once bytes of it may have been. */
  readonly retry: RetryPolicy | null;
  /** null = no exchange is mirrored. */
  readonly mirror: MirrorPlan | null;
  readonly outgoing: OutgoingRules;
  /** Path and query for the upstream, in front of which the backend's base path goes. */
  readonly target: (exchange: Exchange) => string;
  /** To the end of the response head, all attempts together. */
  readonly timeoutMs: number;
  /** The same for one attempt. */
  readonly responseMs: number;
  /** Longest silence of the upstream in a response body, or in taking a request body. */
  readonly idleMs: number;
  /** Longest silence of the client in its body. */
  readonly bodyTimeoutMs: number;
  /** 0 = none. */
  readonly totalMs: number;
  /** 0 = no limit. */
  readonly maxBodySize: number;
  readonly webSocket: WebSocketPlan;
}

/** What of a plan is not worked out here: it takes more than the route's own keys. */
export type PlanSettings = Pick<ForwardPlan, 'outgoing' | 'bodyTimeoutMs' | 'retry' | 'mirror'>;

export function compilePlan(
  config: Readonly<RouteConfig>,
  choice: UpstreamChoice,
  target: (exchange: Exchange) => string,
  settings: PlanSettings,
): ForwardPlan {
  const { timeouts, websocket } = config;
  return {
    ...settings,
    choice,
    target,
    timeoutMs: durationMs(config.timeout),
    responseMs: durationMs(timeouts.response ?? config.timeout),
    idleMs: durationMs(timeouts.idle),
    totalMs: timeouts.total === null ? 0 : durationMs(timeouts.total),
    maxBodySize: sizeBytes(config.max_body_size),
    webSocket: {
      enabled: websocket.enabled,
      idleMs: durationMs(websocket.idle_timeout),
      handshakeMs: durationMs(websocket.handshake_timeout),
      maxConnections: websocket.max_connections ?? 0,
    },
  };
}
