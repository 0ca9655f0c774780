import { createServer } from 'node:net';

import { expect, it } from 'vitest';

import { closeAtEnd, get, spawnCli, waitFor } from './support/index.js';

/** The ports of config/gateway.yml and of the mock services are fixed: a machine that uses them cannot run this. */
async function portsInUse(): Promise<string | false> {
  for (const port of [8080, 8081, 8082, 8083, 9090]) {
    if (!(await isFree(port))) return `port ${port} is in use`;
  }
  return false;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

const script = 'dist/mock-services/start-local.js';

it('npm start runs gateway and mocks, says what to try, and stops all of it at Ctrl-C', async (test) => {
  const taken = await portsInUse();
  test.skip(taken !== false, String(taken));
  const local = await spawnCli([], { script });
  await waitFor(() => local.stdout.includes('Nexus Gateway is ready.'), 'ready', { timeoutMs: 20_000 });
  expect(local.stdout).toContain('curl -i http://localhost:8080/api/users/profile');
  const profile = await get('http://127.0.0.1:8080/api/users/profile', { agent: false });
  expect(profile.json()).toMatchObject({ service: 'users', received: { url: '/profile' } });
  // npm passes on the signal that the terminal has already sent: the gateway must not take it for a second one.
  local.kill('SIGINT');
  local.kill('SIGINT');
  expect(await local.exit).toEqual({ code: 0, signal: null });
  expect(local.logs.with('shutdown complete')).toHaveLength(1);
  expect(await portsInUse()).toBe(false);
});

it('npm start names a port that is in use and leaves nothing behind', async (test) => {
  const taken = await portsInUse();
  test.skip(taken !== false, String(taken));
  const server = createServer().listen(8082, '127.0.0.1');
  closeAtEnd(() => server.close());
  const local = await spawnCli([], { script });
  expect(await local.exit).toEqual({ code: 1, signal: null });
  expect(local.stderr).toBe(
    'port 8082 of the mock service "orders" is in use: stop what listens there, then try again\n',
  );
});
