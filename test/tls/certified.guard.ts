import type { CanActivate, ExecutionContext } from '@nestjs/common';

import { exchangeOf, GatewayGuard } from '../../src/index.js';

/** Lets those in whose certificate was verified, and says whose it is. */
@GatewayGuard('certified')
export class CertifiedGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const exchange = exchangeOf(context.switchToHttp().getRequest());
    const client = exchange.clientCertificate;
    if (client === null) return false;
    const { subject, fingerprint, certificate } = client;
    exchange.responseHeaders.push('X-Seen', `${subject} ${fingerprint} ${certificate.subject}`);
    return true;
  }
}
