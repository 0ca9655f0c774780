import type { CanActivate, ExecutionContext } from '@nestjs/common';

import { CidrSet } from '../../common/cidr.js';
import type { IpListConfig } from '../../config/auth.config.js';
import { Refusal } from '../../exchange/refusal.js';
import { exchangeIn } from '../../exchange/stage.js';

/** Lets clients through by their address, as `trusted_proxies` decides it. `deny` wins over `allow`. */
export class IpListGuard implements CanActivate {
  /** Null = all. */
  readonly #allow: CidrSet | null;
  readonly #deny: CidrSet;

  constructor({ allow, deny }: Readonly<IpListConfig>) {
    this.#allow = allow.length === 0 ? null : new CidrSet(allow);
    this.#deny = new CidrSet(deny);
  }

  canActivate(context: ExecutionContext): boolean {
    const { clientIp } = exchangeIn(context);
    // A client without an address stands in no list, so none could keep it out.
    if (clientIp === '' || this.#deny.has(clientIp)) throw new Refusal('forbidden');
    if (this.#allow === null || this.#allow.has(clientIp)) return true;
    throw new Refusal('forbidden');
  }
}
