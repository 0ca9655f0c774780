import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, it } from 'vitest';

import { echoUpstream, waitFor } from '../support/index.js';
import { manyRoutes, serveFile } from './support.js';

it('case 57: half a file, none, a repaired one: what runs serves on, and the repaired one is in force soon', async () => {
  const { url } = await echoUpstream();
  const backend = url.slice('http://'.length);
  const gateway = await serveFile(manyRoutes(3, backend));
  const successful = (): Promise<number | undefined> =>
    gateway.metric('gateway_config_last_reload_successful');

  const text = manyRoutes(4, backend);
  expect(await gateway.reloaded(`${text.slice(0, -12)}: [`)).toBe('config reload failed');
  expect([await gateway.status('/r2'), await successful()]).toEqual([200, 0]);

  rmSync(gateway.file);
  gateway.signal();
  await waitFor(() => gateway.errors().includes('cannot be read (ENOENT)'), 'the missing file is told of');
  expect([await gateway.status('/r2'), await successful()]).toEqual([200, 0]);

  expect(await gateway.reloaded('')).toBe('config reload failed');
  const started = performance.now();
  expect(await gateway.reloaded(text)).toBe('config reloaded');
  expect(performance.now() - started).toBeLessThan(2_000);
  expect([await gateway.status('/r3'), await successful()]).toEqual([200, 1]);
  expect(await gateway.metric('gateway_config_version')).toBe(2);

  // As a volume of Kubernetes changes: the file is a link through another one, which is swapped.
  const folder = dirname(gateway.file);
  renameSync(gateway.file, join(folder, 'first.yml'));
  writeFileSync(join(folder, 'second.yml'), gateway.document(manyRoutes(6, backend)));
  symlinkSync('second.yml', gateway.file);
  gateway.signal();
  await waitFor(async () => (await gateway.status('/r5')) === 200, 'the swapped file is in force');
});

it('case 57: of 20 writes in quick succession, each with its signal, the last one is in force', async () => {
  const { url } = await echoUpstream();
  const backend = url.slice('http://'.length);
  const gateway = await serveFile(manyRoutes(1, backend));
  for (let count = 2; count <= 21; count++) {
    gateway.write(count % 3 === 0 ? 'routes: [' : manyRoutes(count, backend));
    gateway.signal();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  gateway.write(manyRoutes(22, backend));
  gateway.signal();
  await waitFor(async () => (await gateway.status('/r21')) === 200, 'the last one is in force');
  expect(await gateway.metric('gateway_config_last_reload_successful')).toBe(1);
  expect(await gateway.status('/r22')).toBe(404);
});
