import { setImmediate } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';

import { GatewayConfig } from '../gateway.config.js';
import { nested } from '../keys/composites.js';
import { keysOf } from '../keys/key.js';
import { rememberTrace, traceOf } from '../places.js';
import { TotalRateLimitConfig } from '../rate-limit.config.js';
import { RouteConfig } from '../route.config.js';
import { applyMarks, type Mark, marksIn } from '../secrets.js';
import { type Place, Trace } from '../trace.js';
import { UpstreamConfig } from '../upstream.config.js';
import { revive } from './revive.js';

/** A loaded document on its way to another thread, in pieces small enough to be unpacked between two requests. */
export interface Parcel {
  readonly routes: readonly Uint8Array[];
  /** Pairs of name and upstream. */
  readonly upstreams: readonly Uint8Array[];
  /** All other keys. */
  readonly rest: Uint8Array;
  readonly marks: readonly Mark[];
  readonly places: readonly UsePlaces[];
  readonly sections: readonly SectionPlace[];
  /** The document's text, in which the places are. */
  readonly text: string;
}

/** Where a map at the top of the document stands; the empty name is the document: what a restart alone may change. */
type SectionPlace = readonly [name: string, place: Place];

/** Where one route's guards or interceptors stand: what may still turn out wrong when they are made. */
interface UsePlaces {
  readonly route: number;
  readonly key: 'guards' | 'interceptors';
  readonly place: Place;
}

/** What has a place for each of many entries. */
const LARGE = new Set(['routes', 'upstreams']);

/** Routes or upstreams of one piece: about a millisecond to unpack. */
const PIECE = 50;

export function pack(config: Readonly<GatewayConfig>, text: string): Parcel {
  const { routes, upstreams, ...rest } = config;
  return {
    routes: pieces(routes),
    upstreams: pieces(Object.entries(upstreams)),
    rest: serialize(rest),
    marks: marksIn(config),
    places: usePlaces(config),
    sections: sectionPlaces(config),
    text: text.replace(/^\uFEFF/, ''),
  };
}

/** The document as the loader in this thread would have handed it on. Lets the event loop run between two pieces. */
export async function unpack(parcel: Parcel, file: string): Promise<GatewayConfig> {
  const config = Object.assign(new GatewayConfig(), deserialize(parcel.rest) as Partial<GatewayConfig>);
  config.routes = (await opened(parcel.routes)) as RouteConfig[];
  const upstreams = (await opened(parcel.upstreams)) as [string, UpstreamConfig][];
  config.upstreams = Object.assign(Object.create(null) as object, Object.fromEntries(upstreams));
  applyMarks(config, parcel.marks);
  rememberPlaces(config, parcel, file);
  await reviveSliced(nested(RouteConfig), config.routes);
  // Not a key of its own: the loader put it there.
  for (const { rate_limit } of Object.values(config.upstreams))
    revive(nested(TotalRateLimitConfig), rate_limit);
  await reviveSliced(nested(UpstreamConfig), Object.values(config.upstreams));
  for (const [name, { kind }] of keysOf(GatewayConfig)) revive(kind, Reflect.get(config, name));
  return Object.freeze(config);
}

function pieces(items: readonly unknown[]): Uint8Array[] {
  const count = Math.ceil(items.length / PIECE);
  return Array.from({ length: count }, (_, at) => serialize(items.slice(at * PIECE, (at + 1) * PIECE)));
}

async function opened(packed: readonly Uint8Array[]): Promise<unknown[]> {
  const items: unknown[] = [];
  for (const piece of packed) {
    items.push(...(deserialize(piece) as unknown[]));
    // oxlint-disable-next-line no-await-in-loop -- one piece after the other is the point.
    await setImmediate();
  }
  return items;
}

async function reviveSliced(kind: ReturnType<typeof nested>, items: readonly unknown[]): Promise<void> {
  for (const [index, item] of items.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- one slice after the other is the point.
    if (index % PIECE === PIECE - 1) await setImmediate();
    revive(kind, item);
  }
}

function usePlaces(config: Readonly<GatewayConfig>): UsePlaces[] {
  const trace = traceOf(config);
  return config.routes.flatMap((route, index) =>
    (['guards', 'interceptors'] as const).flatMap((key) => {
      const place = route[key].length > 0 ? trace?.placeOf(route[key]) : undefined;
      return place ? [{ route: index, key, place }] : [];
    }),
  );
}

function sectionPlaces(config: Readonly<GatewayConfig>): SectionPlace[] {
  const trace = traceOf(config);
  const owners = [['', config], ...Object.entries(config)] as const;
  return owners.flatMap(([name, owner]: readonly [string, unknown]) => {
    const place = isObject(owner) && !LARGE.has(name) ? trace?.placeOf(owner) : undefined;
    return place ? [[name, place] as const] : [];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function rememberPlaces(config: GatewayConfig, { places, sections, text }: Parcel, file: string): void {
  const trace = new Trace(file, text);
  for (const [name, place] of sections)
    trace.addPlace(name === '' ? config : (Reflect.get(config, name) as object), place);
  for (const { route, key, place } of places) trace.addPlace(config.routes[route]![key], place);
  rememberTrace(config, trace);
}
