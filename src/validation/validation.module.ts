import { Module } from '@nestjs/common';

import { ValidationStage } from './validation.stage.js';

/** Checks of requests against JSON Schemas. Needs a global EXCHANGE_LOG. */
@Module({ providers: [ValidationStage], exports: [ValidationStage] })
export class ValidationModule {}
