import { describe, expect, it } from 'vitest';

import { GatewayConfig } from '../config/gateway.config.js';
import { keysOf } from '../config/keys/key.js';
import { RouteConfig } from '../config/route.config.js';
import { UpstreamConfig } from '../config/upstream.config.js';
import type { Route } from '../exchange/route.js';
import type { Snapshot } from '../exchange/snapshot.js';
import type { Upstream } from '../exchange/upstream.js';
import { KeptRoutes } from './kept-routes.js';

const upstreamOf = (name: string): Upstream => ({ name }) as Upstream;

function configOf(fields: Partial<RouteConfig> = {}): RouteConfig {
  return Object.assign(new RouteConfig(), { id: 'a', path: '/a', upstream: 'u' }, fields);
}

/** A snapshot of one route, the upstreams in force, and a document that says the same again. */
function scene(fields: Partial<RouteConfig> = {}) {
  const config = configOf(fields);
  const upstreams = new Map(['u', 'v', 'w'].map((name) => [name, upstreamOf(name)]));
  const route = { id: 'a', path: '/a', config, upstream: upstreams.get('u')! } as Route;
  const before = { config: new GatewayConfig(), routes: [route], upstreams } as Partial<Snapshot> as Snapshot;
  return { before, route, upstreams, again: configOf(fields), document: new GatewayConfig() };
}

describe('a mounted route', () => {
  it('stays when nothing changed', () => {
    const { before, route, upstreams, again, document } = scene();
    const found = new KeptRoutes(before, document, upstreams).find(again);
    expect(found.route).toBe(route);
    expect(found.config).toBe(route.config);
  });

  it('stays when other routes and upstreams changed', () => {
    const { before, route, upstreams, again, document } = scene();
    document.routes = [configOf({ id: 'b' })];
    document.upstreams = { v: new UpstreamConfig() };
    const next = new Map(upstreams).set('v', upstreamOf('v'));
    expect(new KeptRoutes(before, document, next).find(again).route).toBe(route);
  });

  it.each([...keysOf(GatewayConfig).keys()].filter((key) => key !== 'routes' && key !== 'upstreams'))(
    'is mounted anew when %s of the document changed, with settings that count as unchanged',
    (key) => {
      const { before, route, upstreams, again, document } = scene();
      Reflect.set(document, key, { ...(Reflect.get(document, key) as object), other: 1 });
      const found = new KeptRoutes(before, document, upstreams).find(again);
      expect(found).toEqual({ route: null, config: route.config });
      expect(found.config).toBe(route.config);
    },
  );

  it.each([...keysOf(RouteConfig).keys()])('is mounted anew when its %s changed', (key) => {
    const { before, upstreams, again, document } = scene();
    Reflect.set(again, key, { other: 1 });
    const found = new KeptRoutes(before, document, upstreams).find(again);
    expect(found.route).toBe(null);
    expect(found.config).toBe(again);
  });

  it.each(['u', 'v', 'w'])('is mounted anew when its upstream %s was compiled anew, or went', (name) => {
    const split = [{ upstream: 'u' }, { upstream: 'v' }] as RouteConfig['split'];
    const mirror = { upstream: 'w' } as RouteConfig['mirror'];
    const { before, upstreams, again, document } = scene({ split, mirror });
    expect(new KeptRoutes(before, document, upstreams).find(again).route).not.toBe(null);
    const changed = new Map(upstreams).set(name, upstreamOf(name));
    expect(new KeptRoutes(before, document, changed).find(again).route).toBe(null);
    upstreams.delete(name);
    expect(new KeptRoutes(scene({ split, mirror }).before, document, upstreams).find(again).route).toBe(null);
  });

  it('has nothing before it at the start', () => {
    const { upstreams, again, document } = scene();
    expect(new KeptRoutes(null, document, upstreams).find(again)).toEqual({ route: null, config: again });
  });
});
