/** What is looked for: the host of a backend's url, and the port where nothing else names one. */
export interface Sought {
  readonly name: string;
  readonly port: number;
}

/** One server behind a name. */
export interface Found {
  /** IPv4 or IPv6, without brackets. */
  readonly address: string;
  readonly port: number;
  /** Its share beside the other servers of the name; above 0. */
  readonly weight: number;
}

/** Hears of one name. None of these may throw. */
export interface DiscoveryListener {
  /**
   * All servers of the name, at least one; told again and again, whether or not they changed.
   * @param fault why a part of them is what was known before; null when all is fresh
   */
  found(servers: readonly Found[], fault: Error | null): void;
  /** Nothing could be learnt: what was found before still holds. */
  failed(cause: Error): void;
}

export interface Following {
  /** The listener hears no more, and nothing is left running. */
  stop(): void;
}

/** Tells where the servers behind names are, for as long as somebody asks. */
export interface Discovery {
  /** The listener is called later, never from within this. */
  follow(sought: Sought, listener: DiscoveryListener): Following;
}

/** Calls back once after some milliseconds, unless it is taken back by the function that it returns. */
export type After = (ms: number, action: () => void) => () => void;

/** Timers that keep no process alive. */
export const after: After = (ms, action) => {
  const timer = setTimeout(action, ms).unref();
  return () => clearTimeout(timer);
};
