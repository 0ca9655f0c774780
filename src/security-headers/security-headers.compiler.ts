import { Injectable } from '@nestjs/common';

import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import type { DefaultHeaders, DefaultHeadersCompiler } from '../exchange/default-headers.js';
import { compileSecurityHeaders } from './security-headers.js';

/** `security_headers` of the document and, where that is filled in already, of its routes. */
@Injectable()
export class SecurityHeadersCompiler implements DefaultHeadersCompiler {
  forRoute({ security_headers: config }: Readonly<RouteConfig>): DefaultHeaders | null {
    return compileSecurityHeaders(config);
  }

  forDocument({ security_headers: config }: Readonly<GatewayConfig>): DefaultHeaders | null {
    return compileSecurityHeaders(config);
  }
}
