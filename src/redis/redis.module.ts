import { Global, Module } from '@nestjs/common';

import { REDIS_CONNECTIONS } from '../exchange/redis.js';
import { ConfiguredRedisConnections } from './redis-connections.js';

/** Global: limits and cache entries share one connection. Nothing is opened before something asks for it. */
@Global()
@Module({
  providers: [
    ConfiguredRedisConnections,
    { provide: REDIS_CONNECTIONS, useExisting: ConfiguredRedisConnections },
  ],
  exports: [ConfiguredRedisConnections, REDIS_CONNECTIONS],
})
export class RedisModule {}
