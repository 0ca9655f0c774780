/**
 * The team's own guards and interceptors that are built with the gateway: what this module exports is known to every
 * document, as the exports of a module under `extensions` are (docs/extensions.md).
 */
export { RequireHeaderGuard } from './require-header.guard.js';
export { ServerTimingInterceptor } from './server-timing.interceptor.js';
