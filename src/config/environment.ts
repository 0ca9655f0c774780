const DEFAULT_FILE = 'config/gateway.yml';

/** The config file to use: the one given, else the one that GATEWAY_CONFIG names, else `config/gateway.yml`. */
export function configFile(
  given?: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return given ?? (environment['GATEWAY_CONFIG'] || DEFAULT_FILE);
}
