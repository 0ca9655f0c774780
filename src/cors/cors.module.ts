import { Module } from '@nestjs/common';

import { CorsGuardFactory } from './cors.guard-factory.js';
import { OwnCorsStage } from './own-cors.stage.js';

/** Cross-origin requests, answered by the gateway on the routes with `cors`. */
@Module({
  providers: [CorsGuardFactory, OwnCorsStage],
  exports: [CorsGuardFactory, OwnCorsStage],
})
export class CorsModule {}
