import { ConfigError } from '../config/errors.js';

/** What to tell the operator, line by line, when a command failed with this error. */
export function explain(error: unknown, file: string): string[] {
  if (error instanceof ConfigError) return error.toString().split('\n');
  if (isListenError(error)) return [explainListen(error, file)];
  return [`nexus: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
}

type ListenError = NodeJS.ErrnoException & { address?: string; port: number };

function isListenError(error: unknown): error is ListenError {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen' && 'port' in error;
}

function explainListen({ code, address, port, message }: ListenError, file: string): string {
  const where = `port ${port}${address === undefined ? '' : ` of ${address}`}`;
  switch (code) {
    case 'EADDRINUSE':
      return `nexus: ${where} is in use: stop what listens there, or set another port in ${file}`;
    case 'EACCES':
      return `nexus: ${where} may not be opened by this user: set a port above 1023 in ${file}, or grant the right`;
    case 'EADDRNOTAVAIL':
      return `nexus: ${where} cannot be opened: this machine has no such address; correct the host in ${file}`;
    default:
      return `nexus: ${where} cannot be opened: ${message}`;
  }
}
