export const USAGE = `Usage: nexus <command> [options]

Commands:
  serve     run the gateway
  validate  check a config file and print every error with its line; 0 when it would start, 1 when not
  schema    print the JSON Schema of the config file

Options:
  -c, --config FILE  the config file, YAML or JSON by extension
                     (default: $GATEWAY_CONFIG, else config/gateway.yml)
  -h, --help         print this text
  -v, --version      print the version

Signals to a running gateway:
  SIGTERM, SIGINT    drain and exit with 0; a second one ends at once with 128 + its number
  SIGHUP             reload the config file

Exit codes: 0 done, 1 bad config or a port that cannot be opened, 2 wrong usage.`;

/** The command line is not one of the `nexus` command. */
export class UsageError extends Error {}
