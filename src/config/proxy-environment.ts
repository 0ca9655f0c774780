import { CidrSet, isCidr } from '../common/cidr.js';
import type { Environment } from './references.js';

/** The variable that names the proxy for a url, and what it holds. */
export interface EnvironmentProxy {
  readonly variable: string;
  readonly value: string;
}

/**
 * The proxy that the environment has for a url: `https_proxy` or `http_proxy` by its scheme, lower case before upper;
 * null when there is none, or `no_proxy` excepts the url.
 */
export function environmentProxy(url: URL, env: Environment): EnvironmentProxy | null {
  const found = firstSet(env, url.protocol === 'https:' ? 'https_proxy' : 'http_proxy');
  if (found === null) return null;
  const excepted = firstSet(env, 'no_proxy');
  return excepted !== null && isExcepted(url, excepted.value) ? null : found;
}

/** An empty variable is like none: it overrides nothing. */
function firstSet(env: Environment, name: string): EnvironmentProxy | null {
  for (const variable of [name, name.toUpperCase()]) {
    const value = Object.hasOwn(env, variable) ? env[variable]?.trim() : undefined;
    if (value) return { variable, value };
  }
  return null;
}

/**
 * Whether a list of exceptions names the url: `*`, a host, a domain (with or without a dot in front; its subdomains
 * too), an address, a CIDR; hosts and addresses perhaps with a port. Names are not resolved.
 */
function isExcepted(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const entries = list.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => entry !== '' && excepts(entry, host, port));
}

function excepts(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (isCidr(entry)) return new CidrSet([entry]).has(host);
  const [, bracketed, plain, onlyPort] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(entry) ?? [];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const name = bracketed ?? plain;
  if (name === undefined) return false;
  if (isCidr(name)) return new CidrSet([name]).has(host);
  const domain = name.replace(/^\*?\.+/, '');
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}
