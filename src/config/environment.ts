import { ConfigModule } from '@nestjs/config';

const DEFAULT_FILE = 'config/gateway.yml';

/** The config file to use: the one given, else the one that GATEWAY_CONFIG names, else `config/gateway.yml`. */
export function configFile(
  given?: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return given ?? (environment['GATEWAY_CONFIG'] || DEFAULT_FILE);
}

/**
 * The environment of the process, and what a `.env` file in the working directory adds to it: @nestjs/config
 * reads that file. A variable of the process wins over the file's.
 */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  // Files are read before the first await: no need to wait for the module that this would give.
  void ConfigModule.forRoot();
  return process.env;
}
