import { Module } from '@nestjs/common';

import { AuthGuardFactory } from './auth.guard-factory.js';
import { Authenticators } from './authenticators.js';
import { JwtModule } from './jwt/jwt.module.js';
import { IpListGuardFactory } from './ip-lists/ip-list.guard-factory.js';
import { RolesGuardFactory } from './roles/roles.guard-factory.js';

/** Who may pass: addresses, credentials, roles. Needs a global CLOCK and LOG. */
@Module({
  imports: [JwtModule],
  providers: [Authenticators, AuthGuardFactory, IpListGuardFactory, RolesGuardFactory],
  exports: [AuthGuardFactory, IpListGuardFactory, RolesGuardFactory],
})
export class AuthModule {}
