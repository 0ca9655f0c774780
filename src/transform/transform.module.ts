import { Module } from '@nestjs/common';

import { CompressionStage } from './compression/compression.stage.js';
import { RequestTransformStage } from './request-transform.js';
import { ResponseTransformStage } from './response-transform.js';

/** Edits of requests and responses, and compression. */
@Module({
  providers: [CompressionStage, RequestTransformStage, ResponseTransformStage],
  exports: [CompressionStage, RequestTransformStage, ResponseTransformStage],
})
export class TransformModule {}
