import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { waitFor } from '../support/wait.js';
import { type Vitals, vitalsOf } from './vitals.js';

const NEXUS = fileURLToPath(new URL('../../dist/src/cli/nexus.js', import.meta.url));

export type LogLine = Readonly<Record<string, unknown>>;

/** The built gateway in a process of its own: its log, its metrics, and what the kernel knows of it. */
export class GatewayProcess {
  readonly logFile: string;
  readonly #configFile: string;
  readonly #errorFile: string;
  #child: ChildProcess | null = null;
  #log = -1;
  #offset = 0;
  #partial = '';
  readonly #buffer = Buffer.alloc(1024 * 1024);
  /** How it ended, once it has: an exit code or a signal. */
  exit: number | string | null = null;

  constructor(
    folder: string,
    readonly port: number,
    readonly inspectorPort: number,
    readonly onLine: (line: LogLine) => void,
  ) {
    this.logFile = join(folder, 'gateway.log');
    this.#configFile = join(folder, 'gateway.json');
    this.#errorFile = join(folder, 'stderr.log');
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get stderr(): string {
    const lines = readFileSync(this.#errorFile, 'utf8').split('\n');
    // What the inspector says of itself.
    return lines.filter((line) => !/^(Debugger |For help, see)/.test(line)).join('\n');
  }

  configure(text: string): void {
    writeFileSync(this.#configFile, text);
  }

  async start(): Promise<void> {
    const [out, error] = [openSync(this.logFile, 'w'), openSync(this.#errorFile, 'w')];
    const args = [
      `--inspect-port=127.0.0.1:${this.inspectorPort}`,
      NEXUS,
      'serve',
      '--config',
      this.#configFile,
    ];
    const child = (this.#child = spawn(process.execPath, args, { stdio: ['ignore', out, error] }));
    child.on('exit', (code, signal) => (this.exit = code ?? signal));
    closeSync(out);
    closeSync(error);
    this.#log = openSync(this.logFile, 'r');
    const answers = (): Promise<boolean> =>
      this.metrics().then(
        () => true,
        () => false,
      );
    await waitFor(async () => this.exit !== null || (await answers()), 'the gateway answers', {
      timeoutMs: 20_000,
    });
    if (this.exit !== null)
      throw new Error(`the gateway did not start: ${this.stderr}${readFileSync(this.logFile, 'utf8')}`);
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Asks it to stop and waits until it has. */
  async stop(): Promise<void> {
    if (this.exit !== null || !this.#child) return;
    const gone = once(this.#child, 'exit');
    this.signal('SIGTERM');
    await gone;
    this.readLog();
    closeSync(this.#log);
  }

  /** Hands on the log lines that came since the last call. */
  readLog(): void {
    for (;;) {
      const bytes = readSync(this.#log, this.#buffer, 0, this.#buffer.length, this.#offset);
      if (bytes === 0) return;
      this.#offset += bytes;
      // Latin-1 keeps a character that a read cut in two; tags are ASCII.
      const lines = (this.#partial + this.#buffer.toString('latin1', 0, bytes)).split('\n');
      this.#partial = lines.pop()!;
      for (const line of lines) this.onLine(JSON.parse(line) as LogLine);
    }
  }

  /** Every series of /metrics by its name with labels. */
  async metrics(): Promise<Map<string, number>> {
    const text = await fetchText(`http://127.0.0.1:${this.port}/metrics`);
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      series.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    );
  }

  /** What its heap holds. The inspector stays open from the first call on. */
  vitals(): Promise<Vitals> {
    this.signal('SIGUSR1');
    return vitalsOf(this.inspectorPort);
  }

  /** Open sockets of the process, the listening one among them. */
  get sockets(): number {
    const folder = `/proc/${this.pid}/fd`;
    return readdirSync(folder).filter((fd) => linkOf(join(folder, fd)).startsWith('socket:')).length;
  }

  /** Resident memory in MB. */
  get rss(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  }

  /** Without /proc neither sockets nor memory can be seen from outside. */
  static readonly isTransparent = existsSync('/proc/self/fd');
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

async function fetchText(url: string): Promise<string> {
  const request = get(url, { agent: false, timeout: 5_000 });
  request.on('timeout', () => request.destroy(new Error('no answer')));
  const [response] = await once(request, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}
