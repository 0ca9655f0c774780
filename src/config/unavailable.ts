/** A key of the document whose feature is not built yet: any value but the default is refused. */
export interface UnavailableKey {
  readonly feature: string;
  /** Values beside the default that may stand there already. */
  readonly allow?: readonly unknown[];
}

export type UnavailableKeys = Readonly<Record<string, UnavailableKey>>;

const key = (feature: string, ...allow: readonly unknown[]): UnavailableKey => ({ feature, allow });

/**
 * The one table of what is not built yet, by the class that declares the key (`RouteConfig` is `route`). Who
 * builds a feature removes its rows.
 */
export const UNAVAILABLE: UnavailableKeys = {
  'tracing.enabled': key('tracing'),
  'history.file': key('history in a file'),
  'history.resolution': key('history'),
  'history.retention': key('history'),
  'route.ai': key('AI routing'),
};
