import { Controller, Get, type Type, Res, UseGuards } from '@nestjs/common';
import { PrometheusController } from '@willsoto/nestjs-prometheus';
import type { FastifyReply } from 'fastify';
import type { Registry } from 'prom-client';

import type { AllowFromGuard } from '../exchange/allow-from.guard.js';

/**
 * A controller that shows one registry. Each application gets classes of its own: nestjs-prometheus writes
 * the path on the class, and its stock controller shows prom-client's global registry.
 */
export function scrapeController(
  registry: Registry,
  guard: AllowFromGuard,
  path: string,
): Type<PrometheusController> {
  @Controller(path)
  @UseGuards(guard)
  class ScrapeController extends PrometheusController {
    @Get()
    override async index(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
      reply.header('content-type', registry.contentType);
      return registry.metrics();
    }
  }
  return ScrapeController;
}
