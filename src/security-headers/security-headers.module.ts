import { Global, Module } from '@nestjs/common';

import { DEFAULT_HEADERS } from '../exchange/default-headers.js';
import { SecurityHeadersCompiler } from './security-headers.compiler.js';

/** Global: the listener's end of the path and the routes' ends of it both ask for the headers. */
@Global()
@Module({
  providers: [SecurityHeadersCompiler, { provide: DEFAULT_HEADERS, useExisting: SecurityHeadersCompiler }],
  exports: [DEFAULT_HEADERS],
})
export class SecurityHeadersModule {}
