import { Inject, Injectable } from '@nestjs/common';

import type { GatewayConfig } from '../config/gateway.config.js';
import type { SchemaConfig } from '../config/response.config.js';
import type { RouteConfig } from '../config/route.config.js';
import { EXCHANGE_LOG, type ExchangeLog } from '../exchange/event-log.js';
import type { Forwarder, ForwarderFactory, RouteTools } from '../exchange/forwarder.js';
import { BodyCheck } from './body-check.js';
import { RequestValidation } from './request-validation.js';
import { compileValuesCheck } from './values-check.js';

/** Checks requests against JSON Schemas before they go on: `validate`. */
@Injectable()
export class ValidationStage implements ForwarderFactory {
  readonly stage = 'validation';

  constructor(@Inject(EXCHANGE_LOG) private readonly log: ExchangeLog) {}

  // oxlint-disable-next-line max-params -- the interface's.
  wrap(
    { validate }: Readonly<RouteConfig>,
    _document: Readonly<GatewayConfig>,
    next: Forwarder,
    tools: RouteTools,
  ): Forwarder | undefined {
    if (validate === null) return undefined;
    const checks = (['path', 'query', 'headers'] as const).flatMap((part) => {
      const schema = schemaOf(validate[part]);
      return schema === null ? [] : [compileValuesCheck(part, schema)];
    });
    const schema = schemaOf(validate.body);
    const body = schema === null ? null : new BodyCheck(schema);
    if (checks.length === 0 && body === null) return undefined;
    return new RequestValidation({ checks, body, next, tools, log: this.log });
  }
}

/** That of a file was read with the document. */
function schemaOf(config: Readonly<SchemaConfig> | null): SchemaConfig['schema'] {
  return config === null ? null : config.schema;
}
