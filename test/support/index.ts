/** Everything a test needs: `import { … } from '../support/index.js'`. What it opens closes itself. */
export * from './cleanup.js';
export * from './cli.js';
export * from './echo-upstream.js';
export * from './gateway.js';
export * from './http-client.js';
export * from './http-message.js';
export * from './http-request.js';
export * from './http-response.js';
export * from './log-capture.js';
export * from './metrics.js';
export * from './ports.js';
export * from './raw-client.js';
export * from './raw-socket.js';
export * from './raw-upstream.js';
export * from './redis.js';
export * from './wait.js';
