import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { describe, expect, it } from 'vitest';

import { UpstreamResponse } from './upstream-response.js';

describe('UpstreamResponse', () => {
  it.each([
    ['text', 'grüße', Buffer.from('grüße')],
    ['bytes', new Uint8Array([0, 255]), Buffer.from([0, 255])],
    ['nothing', null, Buffer.alloc(0)],
  ])('sends %s whole', (_, body, bytes) => {
    expect(new UpstreamResponse(200, {}, body).content).toEqual(bytes);
  });

  it('gives text as a stream to who asks for one, which is sent then', async () => {
    const response = new UpstreamResponse(200, {}, 'abc');
    const { body } = response;
    expect(response.content).toBe(body);
    expect(await text(body)).toBe('abc');
  });

  it('passes a stream on as it is', () => {
    const stream = Readable.from(['a']);
    const response = new UpstreamResponse(200);
    response.body = stream;
    expect([response.body, response.content]).toEqual([stream, stream]);
  });

  it('takes the usual text of another status', () => {
    const response = new UpstreamResponse(200);
    response.statusText = 'Fine';
    response.status = 404;
    expect([response.status, response.statusText]).toEqual([404, '']);
  });

  it('says what JSON is, unless told otherwise', () => {
    expect(UpstreamResponse.json(200, [1]).headers.toRaw()).toEqual(['Content-Type', 'application/json']);
    const other = UpstreamResponse.json(200, [1], { 'content-type': 'application/ld+json' });
    expect(other.headers.toRaw()).toEqual(['content-type', 'application/ld+json']);
    expect(other.content).toEqual(Buffer.from('[1]'));
  });
});
