import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import {
  closeAtEnd,
  echoUpstream,
  freePort,
  request,
  ROOT,
  runCli,
  spawnCli,
  waitFor,
} from '../support/index.js';

/** What the page's code blocks say they are files of. */
function filesOf(page: string): Map<string, string> {
  const blocks = page.matchAll(/^```\w+ file=(\S+)\n(.*?)^```$/gms);
  return new Map(Array.from(blocks, ([, file, text]) => [file!, text!]));
}

const FILES = filesOf(readFileSync(`${ROOT}docs/extensions.md`, 'utf8'));
/** What the page names as development dependencies, and what they need. */
const DEPENDENCIES = ['@nestjs', '@types', 'class-validator', 'fastify', 'rxjs'];

let folder: string;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function link(target: string, file: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  symlinkSync(target, join(folder, file));
}

function node(args: string[], cwd: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  expect([status, stdout + stderr]).toEqual([0, expect.any(String)]);
  return stdout;
}

describe('the page on extensions', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'nexus-extensions-'));
    closeAtEnd(() => rmSync(folder, { recursive: true }));
    for (const [file, text] of FILES) write(file, text);
    // The build makes the types that the package of the page is compiled against.
    await runCli(['--version']);
    link(ROOT, 'team/node_modules/nexus-gateway');
    for (const name of DEPENDENCIES) link(`${ROOT}node_modules/${name}`, `team/node_modules/${name}`);
    node([`${ROOT}node_modules/typescript/bin/tsc`, '-p', 'tsconfig.json'], join(folder, 'team'));
    link(join(folder, 'team'), 'deploy/node_modules/@team/extensions');
  }, 120_000);

  it('has a package and a single file', () => {
    expect([...FILES.keys()].toSorted()).toEqual([
      'deploy/gateway.yml',
      'deploy/my-extensions.js',
      'team/package.json',
      'team/src/envelope.interceptor.ts',
      'team/src/index.ts',
      'team/src/tenant-directory.ts',
      'team/src/tenant.guard.ts',
      'team/tsconfig.json',
    ]);
  });

  it('imports what the package exports', () => {
    const names = node(
      ['--input-type=module', '-e', "console.log(Object.keys(await import('nexus-gateway')).join())"],
      join(folder, 'team'),
    );
    expect(names.trim().split(',')).toEqual(
      expect.arrayContaining([
        'GATEWAY_OPTIONS',
        'GatewayGuard',
        'Refusal',
        'UpstreamResponse',
        'exchangeOf',
      ]),
    );
  });

  it('shows what works', async () => {
    const echo = await echoUpstream();
    const port = await freePort();
    const document = FILES.get('deploy/gateway.yml')!.replace('http://localhost:8082', echo.url);
    write('deploy/running.yml', `port: ${port}\nadmin: { enabled: false }\n${document}`);
    const cli = await spawnCli(['serve', '--config', join(folder, 'deploy/running.yml')], { cwd: tmpdir() });
    await waitFor(() => cli.logs.with('server listening').length > 0 || cli.stderr !== '', 'the start');
    expect(cli.stderr).toBe('');
    const get = (headers: Record<string, string>) =>
      request(`http://127.0.0.1:${port}/orders/7`, { headers: { 'user-agent': 'test', ...headers } });

    const passed = await get({ 'x-tenant': 'acme' });
    expect([passed.status, passed.header('x-plan')]).toEqual([200, 'gold']);
    expect(passed.json()).toEqual({
      id: passed.header('x-request-id'),
      data: expect.objectContaining({ url: '/orders/7' }),
    });
    expect((await get({})).json()).toMatchObject({ status: 400, detail: 'which tenant?' });
    expect((await get({ 'x-tenant': 'umbrella' })).json()).toMatchObject({ status: 403 });
    const blocked = await get({ 'x-tenant': 'acme', 'user-agent': 'curl/8' });
    expect(blocked.json()).toMatchObject({ detail: 'use the API with a client of your own' });
    expect(await cli.logs.until('agent blocked')).toMatchObject({ user_agent: 'curl/8' });
    await echo.stop();
    const away = await get({ 'x-tenant': 'acme' });
    expect([away.status, away.json()['why']]).toEqual([503, 'upstream_unavailable']);
    expect(cli.logs.with('internal error')).toEqual([]);
    cli.kill();
    expect((await cli.exit).code).toBe(0);
  });

  it('shows the errors that there are', async () => {
    const [, example] = /```\n(gateway\.yml:.*?)```/s.exec(
      readFileSync(`${ROOT}docs/extensions.md`, 'utf8'),
    )!;
    const document = FILES.get('deploy/gateway.yml')!;
    write('deploy/gateway.yml', document.replace('[gold]', '[]').replace('block-agents', 'tenat'));
    const { code, stderr } = await runCli(['validate', '--config', 'gateway.yml'], {
      cwd: join(folder, 'deploy'),
    });
    expect([code, stderr]).toEqual([1, example]);
  });
});
