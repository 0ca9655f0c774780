import { Module } from '@nestjs/common';

import { RequestTransformStage } from './request-transform.js';
import { ResponseTransformStage } from './response-transform.js';

/** Edits of requests and responses, and compression. */
@Module({
  providers: [RequestTransformStage, ResponseTransformStage],
  exports: [RequestTransformStage, ResponseTransformStage],
})
export class TransformModule {}
