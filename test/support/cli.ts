import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { closeAtEnd } from './cleanup.js';
import { LogCapture } from './log-capture.js';

/** The repository's root, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface SpawnOptions {
  /** Beside the environment of the tests, from which GATEWAY_CONFIG is removed. */
  readonly env?: Record<string, string>;
  /** Default: the repository's root. */
  readonly cwd?: string;
  /** Which built file to run. Default: the `nexus` command. */
  readonly script?: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A child process of a test, killed at the test's end if it still runs. */
export class CliProcess implements AsyncDisposable {
  stdout = '';
  stderr = '';
  /** Standard output as log lines. */
  readonly logs = new LogCapture();
  /** Resolves when the process is gone and its output was read. */
  readonly exit: Promise<Exit>;

  constructor(readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.logs.write(text);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.exit = new Promise((resolve, reject) => {
      child.on('error', reject).on('close', (code, signal) => resolve({ code, signal }));
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    this.child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill('SIGKILL');
    await this.exit;
  }
}

/** Runs the built `nexus` with arguments, building first when a source is newer. */
export async function spawnCli(args: readonly string[], options: SpawnOptions = {}): Promise<CliProcess> {
  await ensureBuilt();
  const { GATEWAY_CONFIG: _, ...environment } = process.env;
  const child = spawn(process.execPath, [ROOT + (options.script ?? 'dist/src/cli/nexus.js'), ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...environment, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const running = new CliProcess(child);
  closeAtEnd(() => running[Symbol.asyncDispose]());
  return running;
}

/** Runs the built `nexus` to its end. */
export async function runCli(
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<Exit & { stdout: string; stderr: string }> {
  const running = await spawnCli(args, options);
  return { ...(await running.exit), stdout: running.stdout, stderr: running.stderr };
}

const LOCK = `${ROOT}node_modules/.cache/nexus-build.lock`;
const BUILT = `${ROOT}dist/src/main.js`;

/**
 * Compiles src and mock-services into dist unless that is newer than every source. Node cannot run the sources
 * (decorators), so child processes of tests run what is built. Workers that ask at once build once.
 */
export async function ensureBuilt(): Promise<void> {
  if (isFresh()) return;
  await locked(() => {
    if (!isFresh()) compile();
  });
}

function compile(): void {
  const tsc = `${ROOT}node_modules/typescript/bin/tsc`;
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  // Type errors are the type check's business; only a compiler that wrote nothing stops a test.
  if (!isFresh()) throw new Error(`cannot compile for the tests:\n${stdout}`);
}

function isFresh(): boolean {
  const built = modified(BUILT);
  return ['src', 'mock-services'].every((folder) => newestSource(ROOT + folder) < built);
}

function newestSource(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
  return Math.max(0, ...sources.map((file) => modified(`${folder}/${file}`)));
}

function modified(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function locked(work: () => void): Promise<void> {
  mkdirSync(`${ROOT}node_modules/.cache`, { recursive: true });
  while (!acquire()) await delay(50);
  try {
    work();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

function acquire(): boolean {
  // A lock that old was left behind by a killed run.
  if (Date.now() - modified(LOCK) > 120_000) rmSync(LOCK, { force: true });
  try {
    closeSync(openSync(LOCK, 'wx'));
    return true;
  } catch {
    return false;
  }
}
