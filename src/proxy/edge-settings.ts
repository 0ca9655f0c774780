import { CidrSet } from '../common/cidr.js';
import { durationMs } from '../common/duration.js';
import { RequestIds } from '../common/request-id.js';
import { sizeBytes } from '../common/size.js';
import type { Clock } from '../common/clock.js';
import type { GatewayConfig } from '../config/gateway.config.js';
import type { DefaultHeaders } from '../exchange/default-headers.js';
import { ClientAddressResolver } from './client-address.js';

/** What the entry needs of a document before a route is known; compiled once for each snapshot. */
export interface EdgeSettings {
  readonly clientAddress: ClientAddressResolver;
  readonly requestIds: RequestIds;
  /** Lower case. */
  readonly requestIdHeader: string;
  /** Bytes. */
  readonly maxUriLength: number;
  /** Milliseconds. */
  readonly bodyTimeoutMs: number;
  /** For answers that belong to no route. */
  readonly defaultHeaders: DefaultHeaders | null;
}

export function compileEdge(
  { server, request_id }: Readonly<GatewayConfig>,
  clock: Clock,
  defaultHeaders: DefaultHeaders | null,
): EdgeSettings {
  return {
    clientAddress: new ClientAddressResolver(new CidrSet(server.trusted_proxies)),
    requestIds: new RequestIds(request_id, clock),
    requestIdHeader: request_id.header.toLowerCase(),
    maxUriLength: sizeBytes(server.max_uri_length),
    bodyTimeoutMs: durationMs(server.body_timeout),
    defaultHeaders,
  };
}
