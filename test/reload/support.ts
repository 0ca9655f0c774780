import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  type CliProcess,
  closeAtEnd,
  freePort,
  get,
  metricValue,
  spawnCli,
  waitFor,
} from '../support/index.js';

/** A YAML document (or a JSON one, for an object) in a folder of its own, removed at the test's end. */
export function configFile(content: string | object): string {
  const folder = mkdtempSync(join(tmpdir(), 'nexus-reload-'));
  closeAtEnd(() => rmSync(folder, { recursive: true }));
  const file = join(folder, typeof content === 'string' ? 'gateway.yml' : 'gateway.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

/** YAML of so many routes `/r0`, `/r1`, … with a limit and a prefix to strip, all to one backend. */
export function manyRoutes(count: number, backend: string, timeout = '5s'): string {
  const routes = Array.from(
    { length: count },
    (_, at) =>
      `  - id: r${at}\n    path: /r${at}\n    methods: [GET, POST]\n    strip_prefix: true\n    timeout: ${timeout}\n` +
      `    backends:\n      - url: http://${backend}\n    rate_limit:\n      requests: 100000\n      per: 1s\n`,
  );
  return `routes:\n${routes.join('')}`;
}

/** The built gateway in a process of its own, on a file that the test writes. */
export class ServedFile {
  constructor(
    readonly process: CliProcess,
    readonly url: string,
    readonly file: string,
    private readonly head: string,
  ) {}

  /** Puts the text in the place of the file's, all at once, below the keys that need a restart. */
  write(text: string): void {
    const next = `${this.file}.next`;
    writeFileSync(next, this.document(text));
    renameSync(next, this.file);
  }

  /** The whole text of a document. */
  document(text: string): string {
    return this.head + text;
  }

  /** What the last reload that failed was told to fail for. */
  errors(): string {
    return String(this.process.logs.with('config reload failed').at(-1)?.['errors']);
  }

  signal(): void {
    this.process.kill('SIGHUP');
  }

  /** Reloads and gives the line that tells how that went. */
  async reloaded(text: string): Promise<'config reloaded' | 'config reload failed'> {
    const before = this.outcomes().length;
    this.write(text);
    this.signal();
    await waitFor(() => this.outcomes().length > before, 'the reload is told of', { timeoutMs: 20_000 });
    return this.outcomes().at(-1)! as 'config reloaded';
  }

  status(path: string): Promise<number> {
    return get(this.url + path, { agent: false }).then(({ status }) => status);
  }

  async metric(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
    return metricValue((await get(`${this.url}/metrics`, { agent: false })).text, name, labels);
  }

  private outcomes(): string[] {
    return this.process.logs.all.map(({ msg }) => msg).filter((msg) => msg.startsWith('config reload'));
  }
}

/** @param text the document below `server`, `admin` and `logging` */
export async function serveFile(text: string, env: Record<string, string> = {}): Promise<ServedFile> {
  const port = await freePort();
  const head =
    `server: { host: 127.0.0.1, port: ${port}, shutdown: { grace_period: 2s } }\n` +
    'admin: { enabled: false }\nlogging: { access_log: false }\n';
  const file = configFile(head + text);
  const process = await spawnCli(['serve', '--config', file], { env });
  await process.logs.until('server listening', {}, { timeoutMs: 20_000 });
  return new ServedFile(process, `http://127.0.0.1:${port}`, file, head);
}
