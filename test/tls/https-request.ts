import type { IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';

import { ClientResponse } from '../support/index.js';

export interface HttpsOptions {
  readonly agent: Agent;
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: Buffer | string;
}

/** Sends a request over TLS and reads the whole response. */
export async function httpsRequest(url: string, options: HttpsOptions): Promise<ClientResponse> {
  const { agent, body, method = 'GET', headers = {} } = options;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(url, { agent, method, headers });
    outgoing.on('response', resolve).on('error', reject).end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return new ClientResponse(response, Buffer.concat(chunks));
}
