import type { ServerResponse } from 'node:http';

import { json, type MockDefinition, type MockRequest, sleep } from './mock-service.js';

/** Milliseconds between two pieces of a streamed answer. */
const PACE = 50;
const MODELS = ['mock-small', 'mock-large'];

/** Speaks the chat completions API of OpenAI, streaming too; it answers with what it was asked. */
export const llm: MockDefinition = {
  name: 'llm',
  port: 8083,
  async handle(request, response) {
    const { pathname } = request.url;
    if (pathname === '/v1/models') return json(response, 200, { object: 'list', data: MODELS.map(model) });
    if (pathname !== '/v1/chat/completions') return undefined;
    if (request.method !== 'POST') return refuse(response, 405, 'use POST');
    const chat = parseChat(request);
    if (chat === null) return refuse(response, 400, 'messages: expected a list of {role, content}');
    if (chat.stream) await streamAnswer(chat, response);
    else json(response, 200, completion(chat));
    return true;
  },
};

interface Chat {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly stream: boolean;
}

function parseChat({ body }: MockRequest): Chat | null {
  const asked = JSON.parse(body.toString()) as Partial<Chat> | null;
  if (!asked || !Array.isArray(asked.messages) || asked.messages.length === 0) return null;
  return { model: asked.model ?? MODELS[0]!, messages: asked.messages, stream: asked.stream === true };
}

function completion(chat: Chat): object {
  const content = reply(chat);
  const prompt = countWords(chat.messages.map((message) => message.content).join(' '));
  const answered = countWords(content);
  return {
    ...envelope(chat, 'chat.completion'),
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: prompt, completion_tokens: answered, total_tokens: prompt + answered },
  };
}

/** Server-sent events, one for each word, then `[DONE]`. Ends when the client goes. */
async function streamAnswer(chat: Chat, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const piece of reply(chat).split(/(?<= )/)) {
    if (response.destroyed) return;
    send(response, chunk(chat, { content: piece }, null));
    await sleep(PACE, response);
  }
  send(response, chunk(chat, {}, 'stop'));
  response.end('data: [DONE]\n\n');
}

function send(response: ServerResponse, event: object): void {
  response.write(`data: ${JSON.stringify(event)}\n\n`);
}

function chunk(chat: Chat, delta: object, finish: 'stop' | null): object {
  return {
    ...envelope(chat, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}

function envelope(chat: Chat, object: string): object {
  return { id: 'chatcmpl-mock', object, created: 0, model: chat.model };
}

function reply(chat: Chat): string {
  return `You said: ${chat.messages.at(-1)?.content ?? ''}`;
}

function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}

function model(id: string): object {
  return { id, object: 'model', owned_by: 'nexus' };
}

function refuse(response: ServerResponse, status: number, message: string): true {
  return json(response, status, { error: { message, type: 'invalid_request_error' } });
}
