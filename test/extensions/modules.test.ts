import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { closeAtEnd, echoUpstream, freePort, request, runCli, spawnCli, waitFor } from '../support/index.js';

const GUARD = `import { GatewayGuard } from 'nexus-gateway';
export class AGuard { canActivate() { return true; } }
`;

/** Modules of a team, in a folder outside of the repository that has nothing of the gateway's. */
const FILES: Record<string, string> = {
  'guard.js': `${GUARD}GatewayGuard('a')(AGuard);`,
  'again.js': `${GUARD}GatewayGuard('a')(AGuard);`,
  'twice.js': `${GUARD}class B extends AGuard {}; GatewayGuard('b')(AGuard); GatewayGuard('b')(B); export { B };`,
  'same.js': `export { AGuard } from './guard.js';`,
  'empty.js': 'export const nothing = 1;',
  'throws.js': `throw new Error('no database');`,
  'syntax.js': 'let = = 1;',
  'waits.js': `${GUARD}GatewayGuard('a')(AGuard); await new Promise(() => {});`,
  'lost.js': `import 'not-installed';`,
  'no-guard.js': `import { GatewayGuard } from 'nexus-gateway'; GatewayGuard('x')(class NoGuard {});`,
  'bad-name.js': `${GUARD}GatewayGuard('a b')(AGuard);`,
  'bad-providers.js': `${GUARD}GatewayGuard('p')(AGuard); export const providers = {};`,
  'hand.ts': `import type { ExecutionContext } from '@nestjs/common';
import { exchangeOf, GatewayGuard } from 'nexus-gateway';
export default class HandGuard {
  canActivate(context: ExecutionContext): boolean {
    exchangeOf(context.switchToHttp().getRequest()).responseHeaders.push('X-By', 'types');
    return true;
  }
}
GatewayGuard('hand')(HandGuard);`,
  'common.cjs': `const { Module } = require('@nestjs/common');
const { exchangeOf, GatewayGuard } = require('nexus-gateway');
class Store { by = 'store'; }
class StoreModule {}
Module({ providers: [Store], exports: [Store] })(StoreModule);
class CommonGuard {
  constructor(store) { this.store = store; }
  canActivate(context) {
    exchangeOf(context.switchToHttp().getRequest()).responseHeaders.push('X-By', this.store.by);
    return Promise.resolve(true);
  }
}
GatewayGuard('common', { inject: [Store] })(CommonGuard);
module.exports = { CommonGuard, imports: [StoreModule] };`,
  'node_modules/beside/package.json': '{"name": "beside", "type": "module", "exports": {"import": "./x.js"}}',
  'node_modules/beside/x.js': `${GUARD}GatewayGuard('beside')(AGuard);`,
  // A copy of its own must not come between: this one would throw.
  'node_modules/rxjs/package.json': '{"name": "rxjs", "exports": "./x.js"}',
  'node_modules/rxjs/x.js': `throw new Error('another rxjs');`,
  'rx.js': `import { of } from 'rxjs';
import { GatewayInterceptor, UpstreamResponse } from 'nexus-gateway';
export class RxInterceptor { intercept() { return of(UpstreamResponse.json(200, { by: 'rx' })); } }
GatewayInterceptor('rx')(RxInterceptor);`,
  'package.json': '{"type": "module"}',
};

let folder: string;
let elsewhere: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nexus-modules-'));
  elsewhere = mkdtempSync(join(tmpdir(), 'nexus-cwd-'));
  closeAtEnd(() => [folder, elsewhere].forEach((path) => rmSync(path, { recursive: true })));
  for (const [file, text] of Object.entries(FILES)) write(join(folder, file), text);
  write(
    join(elsewhere, 'node_modules/far/package.json'),
    '{"name": "far", "type": "module", "main": "./x.js"}',
  );
  write(join(elsewhere, 'node_modules/far/x.js'), `${GUARD}GatewayGuard('far')(AGuard);`);
});

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function validate(extensions: string[], guards: unknown[] = [], more = ''): Promise<string[]> {
  const route = `routes: [{path: /, backends: [{url: "http://a"}], guards: ${JSON.stringify(guards)}}]`;
  writeFileSync(join(folder, 'doc.yml'), `extensions: ${JSON.stringify(extensions)}\n${route}\n${more}`);
  const { stdout, stderr } = await runCli(['validate', '--config', join(folder, 'doc.yml')], {
    cwd: elsewhere,
  });
  return (stdout + stderr)
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(`${folder}/`, ''));
}

describe('modules outside of the repository', () => {
  it('are files beside the document and packages seen from there or from the working directory', async () => {
    const extensions = ['./guard.js', './same.js', join(folder, 'hand.ts'), './common.cjs', 'beside', 'far'];
    const guards = ['a', 'hand', 'common', 'beside', 'far', 'require-header'];
    expect(await validate(extensions, guards)).toEqual([
      'doc.yml:2:95 routes[0].guards[5]: the option name is missing (must be the name of a header)',
    ]);
  });

  it.each([
    ['./none.js', '"./none.js" is not found, expected a module at none.js'],
    ['nowhere', /^"nowhere" is not found, expected a package in node_modules of .* or .*, or above/],
    [
      './empty.js',
      /^"\.\/empty\.js" exports no guard and no interceptor, expected a class with @GatewayGuard/,
    ],
    ['./throws.js', '"./throws.js" cannot be loaded: Error: no database (file://throws.js:1:7)'],
    ['./syntax.js', /^"\.\/syntax\.js" cannot be loaded: SyntaxError: /],
    [
      './lost.js',
      /^"\.\/lost\.js" cannot be loaded: Error.*: Cannot find package 'not-installed' imported from/,
    ],
    ['./twice.js', '"./twice.js" declares two guards b: AGuard, B'],
    ['./no-guard.js', /cannot be loaded: TypeError: NoGuard is no guard: it has no method canActivate/],
    ['./bad-name.js', /cannot be loaded: TypeError: "a b" is no name for a guard/],
    ['./bad-providers.js', '"./bad-providers.js" exports providers that is no list, expected an array'],
  ])('stop the start when they cannot be used: %s', async (specifier, message) => {
    const [line, ...rest] = await validate([specifier]);
    expect(rest).toEqual([]);
    const [, place, text] = /^(doc\.yml:1:14 extensions\[0\]): (.*)$/.exec(line!)!;
    expect(place).toBeDefined();
    expect(text).toMatch(message);
  });

  it('stop every command with 1 when they do not finish loading', async () => {
    const file = join(folder, 'waits.yml');
    writeFileSync(file, 'extensions: [./waits.js]\nroutes: [{path: /, backends: [{url: "http://a"}]}]\n');
    const exits = await Promise.all(
      ['validate', 'serve'].map((command) => runCli([command, '--config', file])),
    );
    const line = `${file}:1:14 extensions[0]: "./waits.js" did not finish loading within 10 s, expected its top-level await to settle\n`;
    expect(exits.map(({ code, stdout, stderr }) => [code, stdout + stderr])).toEqual([
      [1, line],
      [1, line],
    ]);
  }, 60_000);

  it('may not take a name twice, and are named with all else that is wrong', async () => {
    expect(await validate(['./guard.js', './again.js'], ['unknown'], 'prot: 80')).toEqual([
      'doc.yml:1:27 extensions[1]: "./again.js" declares a guard a, but ./guard.js does too, expected another name',
      expect.stringMatching(/^doc\.yml:3:1 prot: is not a known key of the document, did you mean port\?/),
    ]);
  });

  it("run, in whatever language, with the gateway's copy of what they share", async () => {
    const echo = await echoUpstream();
    const port = await freePort();
    const routes = ['hand', 'common'].map((name) => ({
      path: `/${name}`,
      backends: [echo.backend],
      guards: [name],
    }));
    const rx = { path: '/rx', backends: [echo.backend], interceptors: ['rx'] };
    const extensions = ['./hand.ts', './common.cjs', './rx.js'];
    const document = { port, admin: { enabled: false }, extensions, routes: [...routes, rx] };
    writeFileSync(join(folder, 'run.json'), JSON.stringify(document));
    const cli = await spawnCli(['serve', '--config', join(folder, 'run.json')], { cwd: elsewhere });
    await waitFor(() => cli.logs.with('server listening').length > 0 || cli.stderr !== '', 'the start');
    expect(cli.stderr).toBe('');
    const by = async (path: string) => (await request(`http://127.0.0.1:${port}${path}`)).header('x-by');
    expect([await by('/hand'), await by('/common')]).toEqual(['types', 'store']);
    expect((await request(`http://127.0.0.1:${port}/rx`)).json()).toEqual({ by: 'rx' });
  });
});
