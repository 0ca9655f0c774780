import { describe, expect, it } from 'vitest';

import { llm } from '../mock-services/llm.js';
import { type MockDefinition, startMock } from '../mock-services/mock-service.js';
import { orders } from '../mock-services/orders.js';
import { users } from '../mock-services/users.js';
import { closeAtEnd, get, open, request } from './support/index.js';

async function start(definition: MockDefinition, now = () => 0): Promise<string> {
  const mock = await startMock(definition, { port: 0, clock: { now, wall: now } });
  closeAtEnd(() => mock.stop());
  return `http://127.0.0.1:${mock.port}`;
}

describe('mock services', () => {
  it('show what they received', async () => {
    const url = await start(users);
    const response = await request(`${url}/anything%2Felse?x=1`, {
      method: 'PUT',
      headers: { 'x-request-id': 'abc', accept: '*/*' },
      body: 'hi',
    });
    expect(response.json()).toMatchObject({
      service: 'users',
      received: {
        method: 'PUT',
        url: '/anything%2Felse?x=1',
        headers: { 'x-request-id': 'abc' },
        body_bytes: 2,
      },
    });
    expect(response.json()['received']).not.toHaveProperty('headers.accept');
  });

  it('answer on their own paths', async () => {
    const [usersUrl, ordersUrl] = await Promise.all([start(users), start(orders)]);
    expect((await get(`${usersUrl}/health`)).json()).toEqual({ status: 'ok', service: 'users' });
    expect((await get(`${usersUrl}/profile`)).json()).toMatchObject({ user: { id: 1 } });
    expect((await get(`${usersUrl}/99`)).status).toBe(404);
    expect((await get(`${ordersUrl}/1001`)).json()).toMatchObject({ order: { id: 1001 } });
  });

  it('fail for as long as they were told to, health too, and heal', async () => {
    let now = 0;
    const url = await start(orders, () => now);
    const fail = await request(`${url}/_mock/fail?status=503&for=30s`, { method: 'POST' });
    expect(fail.json()).toEqual({ service: 'orders', status: 503, for_ms: 30_000 });
    expect((await get(`${url}/health`)).status).toBe(503);
    now = 30_000;
    expect((await get(`${url}/`)).status).toBe(200);
    await request(`${url}/_mock/fail`, { method: 'POST' });
    expect((await get(`${url}/`)).status).toBe(500);
    await request(`${url}/_mock/heal`, { method: 'POST' });
    expect((await get(`${url}/`)).status).toBe(200);
  });

  it('refuse odd switches and sleeps with 400', async () => {
    const url = await start(orders);
    expect((await request(`${url}/_mock/fail?for=30`, { method: 'POST' })).status).toBe(400);
    expect((await request(`${url}/_mock/fail?status=200`, { method: 'POST' })).status).toBe(400);
    expect((await get(`${url}/slow?ms=-1`)).status).toBe(400);
  });
});

describe('the llm mock', () => {
  const chat = (stream: boolean) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ stream, messages: [{ role: 'user', content: 'hello there' }] }),
  });

  it('completes a chat', async () => {
    const response = await request(`${await start(llm)}/v1/chat/completions`, chat(false));
    expect(response.json()).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: 'You said: hello there' } }],
      usage: { prompt_tokens: 2, completion_tokens: 4, total_tokens: 6 },
    });
  });

  it('streams it as server-sent events, one piece at a time', async () => {
    const response = await open(`${await start(llm)}/v1/chat/completions`, chat(true));
    expect(response.headers['content-type']).toBe('text/event-stream');
    const pieces: string[] = [];
    for await (const piece of response) pieces.push(String(piece));
    expect(pieces.length).toBeGreaterThan(2);
    const events = pieces.join('').trim().split('\n\n');
    expect(events.at(-1)).toBe('data: [DONE]');
    const said = events.slice(0, -1).map((event) => {
      const chunk = JSON.parse(event.slice(6)) as { choices: [{ delta: { content?: string } }] };
      return chunk.choices[0].delta.content ?? '';
    });
    expect(said.join('')).toBe('You said: hello there');
  });

  it('refuses what is no chat', async () => {
    const url = `${await start(llm)}/v1/chat/completions`;
    expect((await get(url)).status).toBe(405);
    expect((await request(url, { body: '{"messages":[]}' })).status).toBe(400);
  });
});
