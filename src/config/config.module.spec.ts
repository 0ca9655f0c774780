import { Module } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from 'vitest';

import { CONFIG_FILE, GATEWAY_CONFIG, GatewayConfigModule } from './config.module.js';
import { parseConfig } from './loader.js';

const text = JSON.stringify({
  port: 8123,
  routes: [{ path: '/a', backends: [{ url: 'http://h' }] }],
});

@Module({})
class Room {}

async function modules() {
  const config = parseConfig(text, { file: 'g.json', format: 'json', env: {} });
  const testing = await Test.createTestingModule({
    imports: [GatewayConfigModule.forDocument(config, 'g.json'), Room],
  }).compile();
  return { config, testing };
}

describe('GatewayConfigModule', () => {
  it('gives every module the document and its file', async () => {
    const { config, testing } = await modules();
    const room = testing.select(Room);
    expect(room.get(GATEWAY_CONFIG, { strict: false })).toBe(config);
    expect(room.get(CONFIG_FILE, { strict: false })).toBe('g.json');
  });

  it('serves the keys of the document through the ConfigService, and nothing of the environment', async () => {
    const { testing } = await modules();
    const service = testing.get(ConfigService, { strict: false });
    expect(service.get('server.port')).toBe(8123);
    expect(service.get('metrics.path')).toBe('/metrics');
    expect(service.get('routes')).toMatchObject([{ path: '/a' }]);
    expect(service.get('PATH')).toBeUndefined();
  });
});
