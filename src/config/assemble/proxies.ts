import type { Draft } from '../draft.js';
import { proxyFault } from '../keys/proxy-url.js';
import { environmentProxy } from '../proxy-environment.js';
import type { Environment } from '../references.js';
import { hiddenAs, hide, MASK } from '../secrets.js';
import type { BackendConfig, ConnectionConfig } from '../upstream.config.js';

/**
 * Puts beside the url of each backend the proxy on the way to it, which `environment` leaves to the variables of the
 * process (read once; a reload reads them as they were at the start).
 */
export function resolveProxies(draft: Draft, environment: () => Environment): void {
  let env: Environment | null = null;
  for (const { backends, connection } of new Set(Object.values(draft.upstreams))) {
    if (connection.proxy === null) continue;
    for (const backend of backends) {
      if (connection.proxy === 'environment')
        fromEnvironment(draft, backend, connection, (env ??= environment()));
      else put(backend, connection.proxy, hiddenAs(connection, 'proxy') ?? MASK);
    }
  }
}

function fromEnvironment(
  { report }: Draft,
  backend: BackendConfig,
  connection: ConnectionConfig,
  env: Environment,
): void {
  const found = environmentProxy(new URL(backend.url), env);
  if (found === null) return;
  // As curl has it, a proxy without a scheme is an http one.
  const url = found.value.includes('://') ? found.value : `http://${found.value}`;
  const fault = proxyFault(url);
  if (fault === undefined) return put(backend, url, `\${${found.variable}}`);
  const message = `the variable ${found.variable} ${fault}, expected an http url such as http://proxy:3128`;
  report.at(connection, 'proxy', message);
}

function put(backend: BackendConfig, proxy: string, mark: string): void {
  backend.proxy = proxy;
  hide(backend, 'proxy', mark);
}
