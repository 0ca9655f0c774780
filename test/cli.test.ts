import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { VERSION } from '../src/common/version.js';
import {
  type CliProcess,
  closeAtEnd,
  echoUpstream,
  freePort,
  get,
  listen,
  open,
  runCli,
  spawnCli,
  waitFor,
} from './support/index.js';

function configFile(content: object | string): string {
  const folder = mkdtempSync(join(tmpdir(), 'nexus-cli-'));
  closeAtEnd(() => rmSync(folder, { recursive: true }));
  const file = join(folder, typeof content === 'string' ? 'gateway.yml' : 'gateway.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

function writtenFile(name: string, content: Buffer | string): string {
  const folder = mkdtempSync(join(tmpdir(), 'nexus-cli-'));
  closeAtEnd(() => rmSync(folder, { recursive: true }));
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const latin1File = (): string => writtenFile('latin1.yml', Buffer.from('port: 80\n# caf\xe9\n', 'latin1'));

function sparseFile(): string {
  const file = writtenFile('large.yml', '');
  truncateSync(file, 16 * 1024 * 1024 + 1);
  return file;
}

function namedPipe(): string {
  const file = writtenFile('pipe.yml', '');
  rmSync(file);
  execFileSync('mkfifo', [file]);
  return file;
}

/** Says so as soon as signals are taken: it runs before the gateway's own files, and waits for their listeners. */
const FIRST_FILE = `data:text/javascript,${encodeURIComponent(
  "process.on('newListener', (name) => name === 'SIGHUP' && process.stderr.write('runs'))",
)}`;

const aRoute = { path: '/a', methods: ['GET'], backends: [{ url: 'http://127.0.0.1:9' }] };

async function serving(route: object = aRoute): Promise<{ gateway: CliProcess; url: string; file: string }> {
  const port = await freePort();
  const server = { host: '127.0.0.1', port, shutdown: { grace_period: '5s' } };
  const file = configFile({ server, admin: { enabled: false }, routes: [route] });
  const gateway = await spawnCli(['serve', '--config', file]);
  await gateway.logs.until('server listening', {}, { timeoutMs: 20_000 });
  return { gateway, url: `http://127.0.0.1:${port}`, file };
}

describe('nexus', () => {
  it('prints usage and version', async () => {
    const [help, version] = await Promise.all([runCli(['--help']), runCli(['--version'])]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(/^Usage: nexus <command>/);
    expect(version).toMatchObject({ code: 0, stdout: `${VERSION}\n` });
  });

  it.each([[['start']], [['serve', '--prot', '80']], [[]]])('exits 2 with the usage for %j', async (argv) => {
    const { code, stderr, stdout } = await runCli(argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^nexus: .+\n\nUsage: nexus/);
  });

  it('prints the JSON Schema', async () => {
    const { code, stdout } = await runCli(['schema']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'object', properties: { routes: {} } });
  });
});

describe('nexus validate', () => {
  it.each([
    'config/gateway.yml',
    'config/examples/compose.yml',
    'config/examples/minimal.yml',
    'config/examples/minimal.json',
  ])('accepts %s', async (file) => {
    const { code, stdout, stderr } = await runCli(['validate', '--config', file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ok: \d routes, \d upstreams\n$/);
  });

  it('takes the file from GATEWAY_CONFIG', async () => {
    const file = configFile({ routes: [aRoute] });
    const { stdout } = await runCli(['validate'], { env: { GATEWAY_CONFIG: file } });
    expect(stdout).toBe('ok: 1 route, 1 upstream\n');
  });

  it('prints every error on a line of its own, with its place, and exits 1', async () => {
    const file = configFile('port: 99999\nroutes:\n  - path: /a\n    strip_prefx: true\n    backends: []\n');
    const { code, stdout, stderr } = await runCli(['validate', '--config', file]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines.every((line) => /gateway\.yml:\d+:\d+ \S+: /.test(line))).toBe(true);
    expect(stderr).toMatch(/:4:\d+ .*strip_prefx.*strip_prefix/);
  });

  it('prints warnings with their place and accepts all the same', async () => {
    const file = configFile(
      'routes:\n' +
        '  - { id: any, path: /a, headers: { x: "1" }, backends: [{ url: "http://127.0.0.1:9" }] }\n' +
        '  - { id: get, path: /a, headers: { x: "1" }, methods: [GET], backends: [{ url: "http://127.0.0.1:9" }] }\n',
    );
    const { code, stdout, stderr } = await runCli(['validate', '--config', file]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok: 2 routes, 2 upstreams\n' });
    expect(stderr).toMatch(/^warning: .*gateway\.yml:3:\d+ routes\[1\]\.path: .*any \(line 2\).*\n$/);
  });

  it('says so when the file cannot be read', async () => {
    const { code, stderr } = await runCli(['validate', '--config', '/nowhere/gateway.yml']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^\/nowhere\/gateway\.yml.*\n$/);
  });
});

describe('a config file that is none', () => {
  it.each([
    [
      'a device',
      () => '/dev/zero',
      /^\/dev\/zero:1:1 document: is not a regular file, expected a YAML or JSON document\n$/,
    ],
    ['a folder', () => tmpdir(), /:1:1 document: is not a regular file, /],
    ['a named pipe', namedPipe, /pipe\.yml:1:1 document: is not a regular file, /],
    ['too much', sparseFile, /large\.yml:1:1 document: is larger than 16mb, expected a smaller document\n$/],
    [
      'another coding',
      latin1File,
      /latin1\.yml:2:6 document: is not UTF-8 \(0xE9 at byte 14\), expected a text in UTF-8\n$/,
    ],
  ])('is refused: %s', async (_, file, message) => {
    const { code, stderr } = await runCli(['validate', '--config', file()]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  });
});

describe('a signal while the gateway starts', () => {
  async function interrupted(signal: NodeJS.Signals, until: (gateway: CliProcess) => Promise<unknown>) {
    const port = await freePort();
    const server = { host: '127.0.0.1', port };
    const file = configFile({ server, admin: { enabled: false }, routes: [aRoute] });
    // Node itself needs some time before any of the gateway's files runs.
    const gateway = await spawnCli(['serve', '--config', file], {
      env: { NODE_OPTIONS: `--import=${FIRST_FILE}` },
    });
    await waitFor(() => gateway.stderr.includes('runs'), 'the first file runs', { timeoutMs: 20_000 });
    gateway.kill(signal);
    await until(gateway);
    return gateway;
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('stops it like any other: %s', async (signal) => {
    const gateway = await interrupted(signal, ({ exit }) => exit);
    expect(await gateway.exit).toEqual({ code: 0, signal: null });
  });

  it('is a reload once it serves: SIGHUP', async () => {
    const gateway = await interrupted('SIGHUP', ({ logs }) =>
      logs.until('config reloaded', {}, { timeoutMs: 20_000 }),
    );
    expect(gateway.logs.with('server listening')).toHaveLength(1);
  });
});

describe('nexus serve', () => {
  it('opens no port on a bad config, lists the errors and exits 1', async () => {
    const port = await freePort();
    const file = configFile({ port, routes: [{ ...aRoute, timeout: 30 }] });
    const { code, stderr, stdout } = await runCli(['serve', '--config', file]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/timeout: .*30s/);
  });

  it('names a port that is in use and what to do, and exits 1', async () => {
    const server = createServer();
    closeAtEnd(() => server.close());
    const port = await listen(server);
    const file = configFile({
      server: { host: '127.0.0.1', port },
      admin: { enabled: false },
      routes: [aRoute],
    });
    const { code, stderr, stdout } = await runCli(['serve', '--config', file]);
    expect(code).toBe(1);
    expect(stdout).not.toContain('EADDRINUSE');
    expect(stderr).toBe(
      `nexus: port ${port} of 127.0.0.1 is in use: stop what listens there, or set another port in ${file}\n`,
    );
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('drains at %s and exits 0', async (signal) => {
    const echo = await echoUpstream();
    echo.delayMs = 300;
    const { gateway, url } = await serving({ path: '/a', backends: [echo.backend] });
    const answer = get(`${url}/a`, { agent: false });
    await waitFor(() => echo.started, 'the request reached the upstream');
    gateway.kill(signal);
    expect((await answer).status).toBe(200);
    expect(await gateway.exit).toEqual({ code: 0, signal: null });
    expect(gateway.logs.with('shutdown started', { signal })).toHaveLength(1);
    expect(gateway.logs.with('shutdown complete')).toHaveLength(1);
  });

  it('ends at once at a second signal, with 128 + its number', async () => {
    const echo = await echoUpstream();
    echo.delayMs = 60_000;
    const { gateway, url } = await serving({ path: '/a', timeout: '1m', backends: [echo.backend] });
    const cut = open(`${url}/a`, { agent: false }).catch((error: Error) => error.message);
    await waitFor(() => echo.started, 'the request reached the upstream');
    gateway.kill('SIGTERM');
    await gateway.logs.until('shutdown started');
    gateway.kill('SIGTERM');
    expect(await gateway.exit).toEqual({ code: 143, signal: null });
    expect(await cut).toMatch(/socket hang up|ECONNRESET/);
  });

  it('reloads its file at SIGHUP, and keeps what runs when the file is bad', async () => {
    const { gateway, url, file } = await serving();
    const status = async (path: string): Promise<number> => (await get(url + path, { agent: false })).status;
    const text = readFileSync(file, 'utf8');
    expect(await status('/b')).toBe(404);
    writeFileSync(file, text.replace('"/a"', '"/b"'));
    gateway.kill('SIGHUP');
    await gateway.logs.until('config reloaded');
    expect([await status('/a'), await status('/b')]).toEqual([404, 502]);
    writeFileSync(file, text.slice(0, -2));
    gateway.kill('SIGHUP');
    await gateway.logs.until('config reload failed');
    expect(await status('/b')).toBe(502);
    gateway.kill('SIGTERM');
    expect((await gateway.exit).code).toBe(0);
  });

  it('is what main.js runs', async () => {
    const { code, stdout } = await runCli(['--help'], { script: 'dist/src/main.js' });
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: nexus');
  });
});
