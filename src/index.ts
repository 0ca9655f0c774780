/**
 * What modules of extensions import as `nexus-gateway` (docs/extensions.md). Whatever else the gateway is made of may
 * change from one version to the next.
 */
export { CLOCK, type Clock } from './common/clock.js';
export type { RouteConfig } from './config/route.config.js';
export { type Log, LOG } from './exchange/event-log.js';
export type { ClientCertificate } from './exchange/client-certificate.js';
export type { Exchange, RequestHead } from './exchange/exchange.js';
export { HeaderList, type HeaderSource } from './exchange/header-list.js';
export type { Identity } from './exchange/identity.js';
export { type AnswerReason, type Reason, REASONS } from './exchange/reasons.js';
export { Refusal, type RefusalOptions } from './exchange/refusal.js';
export type { Route } from './exchange/route.js';
export { exchangeOf } from './exchange/stage.js';
export type { Backend, Upstream } from './exchange/upstream.js';
export { type ResponseContent, UpstreamResponse } from './exchange/upstream-response.js';
export {
  type ExtensionOptions,
  GATEWAY_OPTIONS,
  GatewayGuard,
  GatewayInterceptor,
} from './extensions/host/decorators.js';
