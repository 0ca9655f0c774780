import { Module } from '@nestjs/common';

import { JwtAuthenticators } from './jwt-authenticators.js';
import { LogKeySetEvents } from './key-set-events.js';

/** Tokens. Needs a global LOG; takes a global CLOCK where there is one. */
@Module({
  providers: [LogKeySetEvents, JwtAuthenticators],
  exports: [JwtAuthenticators],
})
export class JwtModule {}
