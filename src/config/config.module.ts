import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ConfigModule, type ConfigType, registerAs } from '@nestjs/config';

import type { GatewayConfig } from './gateway.config.js';

/** Nest token of the document that the process was started with, a {@link GatewayConfig}. */
export const GATEWAY_CONFIG = Symbol('GatewayConfig');

/** Nest token of the file that the document was read from. */
export const CONFIG_FILE = Symbol('ConfigFile');

/** The document through @nestjs/config, so that extensions can ask its ConfigService for any part of it. */
@Global()
@Module({})
export class GatewayConfigModule {
  static forDocument(config: Readonly<GatewayConfig>, file: string): DynamicModule {
    const gateway = registerAs('gateway', () => config);
    return {
      module: GatewayConfigModule,
      imports: [ConfigModule.forRoot({ isGlobal: true, load: [gateway], ignoreEnvFile: true })],
      providers: [
        {
          provide: GATEWAY_CONFIG,
          useFactory: (loaded: ConfigType<typeof gateway>) => loaded,
          inject: [gateway.KEY],
        },
        { provide: CONFIG_FILE, useValue: file },
      ],
      exports: [GATEWAY_CONFIG, CONFIG_FILE],
    };
  }
}
