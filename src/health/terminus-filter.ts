import { type ArgumentsHost, Catch, type ExceptionFilter, ServiceUnavailableException } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Sends Terminus' own document, also where the application's filter makes problem+json of all else. */
@Catch(ServiceUnavailableException)
export class TerminusFilter implements ExceptionFilter<ServiceUnavailableException> {
  catch(exception: ServiceUnavailableException, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply.status(exception.getStatus()).send(exception.getResponse());
  }
}
