import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule, registerAs } from '@nestjs/config';

import { GatewayConfig } from './gateway.config.js';
import { keysOf } from './keys/key.js';

/** Nest token of the loaded document, a {@link GatewayConfig}. */
export const GATEWAY_CONFIG = Symbol('GatewayConfig');
/** Nest token of the path of the config file. */
export const CONFIG_FILE = Symbol('ConfigFile');

/**
 * Gives an application the document it was started with: whole under {@link GATEWAY_CONFIG}, and each of its
 * top-level keys as a namespace of @nestjs/config (`config.get('server.port')` of its ConfigService).
 */
@Module({})
export class GatewayConfigModule {
  /** References are replaced already, so neither `.env` nor the environment is looked at again. */
  static async forDocument(config: GatewayConfig, file: string): Promise<DynamicModule> {
    const load = [...keysOf(GatewayConfig).keys()].map((key) =>
      registerAs(key, () => namespace(config, key)),
    );
    const nest = await ConfigModule.forRoot({
      load,
      ignoreEnvFile: true,
      ignoreEnvVars: true,
      skipProcessEnv: true,
      isGlobal: true,
    });
    return {
      module: GatewayConfigModule,
      global: true,
      imports: [nest],
      providers: [
        { provide: GATEWAY_CONFIG, useValue: config },
        { provide: CONFIG_FILE, useValue: file },
      ],
      exports: [nest, GATEWAY_CONFIG, CONFIG_FILE],
    };
  }
}

function namespace(config: GatewayConfig, key: string): Record<string, unknown> {
  return Reflect.get(config, key) as Record<string, unknown>;
}
