import { FAULTS, faultOf, type FaultName } from './faults.js';
import { Random } from './random.js';

/** The upstreams of the run; document.ts says what they are. */
export type Group = 'steady' | 'shaky' | 'tight' | 'dead' | 'limited' | 'small';

export interface UploadPlan {
  readonly size: number;
  readonly chunked: boolean;
  /** `Expect: 100-continue`. */
  readonly expect: boolean;
}

export interface RequestPlan {
  /** Names the exchange everywhere: as request id, in headers and bodies, in the log. */
  readonly tag: string;
  readonly method: string;
  readonly group: Group;
  readonly fault: FaultName;
  /** Bytes of the answer's body. */
  readonly size: number;
  readonly upload: UploadPlan | null;
  readonly version: '1.0' | '1.1';
}

/** What a client does with one connection. */
const KINDS = {
  sequence: 34,
  pipeline: 8,
  slow_reader: 5,
  never_reader: 1,
  slow_sender: 5,
  stuck_sender: 5,
  abort: 14,
  half_close: 5,
  malformed: 8,
  websocket: 12,
} as const;
export type SessionKind = keyof typeof KINDS;

export interface SessionPlan {
  readonly index: number;
  readonly kind: SessionKind;
  /** The client's own address, of 127.0.0.0/8. */
  readonly address: string;
  readonly requests: readonly RequestPlan[];
  /** For whatever else the client decides. */
  readonly random: Random;
}

const GROUPS: Record<Group, number> = { steady: 50, shaky: 30, tight: 8, dead: 4, limited: 4, small: 4 };
const REQUESTS: Record<SessionKind, readonly [number, number]> = {
  sequence: [1, 8],
  pipeline: [2, 7],
  slow_reader: [1, 1],
  never_reader: [1, 1],
  slow_sender: [1, 2],
  stuck_sender: [1, 1],
  abort: [1, 1],
  half_close: [1, 1],
  malformed: [0, 2],
  websocket: [1, 1],
};
const FAULT_WEIGHTS = Object.fromEntries(
  Object.entries(FAULTS).map(([name, fault]) => [name, fault.weight]),
) as Record<FaultName, number>;

/** What the session with this number does; a function of the seed and the number alone. */
export function sessionPlan(seed: number, index: number): SessionPlan {
  const random = new Random(seed, index);
  const kind = random.weighted(KINDS);
  const [from, to] = REQUESTS[kind];
  const requests = Array.from({ length: random.between(from, to) }, (_, at) =>
    requestPlan(random, kind, `${seed.toString(36)}-${index}-${at}`),
  );
  return { index, kind, address: `127.0.0.${random.between(1, 200)}`, requests, random };
}

function requestPlan(random: Random, kind: SessionKind, tag: string): RequestPlan {
  const plain = kind === 'slow_reader' || kind === 'never_reader' || kind === 'malformed';
  const fault = plain || random.chance(0.4) ? 'ok' : random.weighted(FAULT_WEIGHTS);
  const group = groupFor(random, fault);
  const method = methodFor(random, kind, fault);
  const upload = method === 'POST' || method === 'PUT' ? uploadPlan(random, kind) : null;
  const version = kind === 'sequence' && upload === null && random.chance(0.05) ? '1.0' : '1.1';
  return { tag, method, group, fault, size: sizeFor(random, kind, fault), upload, version };
}

function groupFor(random: Random, fault: FaultName): Group {
  const group = random.weighted(GROUPS);
  // Only those who expect it may meet a connection that was spoilt.
  if (faultOf(fault).rude) return 'shaky';
  return faultOf(fault).unframed && group === 'shaky' ? 'steady' : group;
}

function methodFor(random: Random, kind: SessionKind, fault: FaultName): string {
  if (kind === 'websocket' || kind === 'slow_reader' || kind === 'never_reader') return 'GET';
  if (faultOf(fault).uploads) return 'POST';
  return random.weighted({ GET: 60, HEAD: fault === 'ok' ? 5 : 0, DELETE: 3, POST: 22, PUT: 10 });
}

function uploadPlan(random: Random, kind: SessionKind): UploadPlan {
  const small = kind === 'slow_sender';
  const size = small
    ? random.between(1, 150)
    : random.chance(0.2)
      ? 0
      : Math.floor(300_000 * random.next() ** 4);
  const expect = kind === 'sequence' && size > 0 && random.chance(0.1);
  return { size, chunked: random.chance(0.5), expect };
}

function sizeFor(random: Random, kind: SessionKind, fault: FaultName): number {
  if (kind === 'never_reader') return random.between(2_000_000, 4_000_000);
  if (kind === 'slow_reader') return random.between(1_000, 30_000);
  // A body that breaks must have something to break.
  return Math.floor(400_000 * random.next() ** 5) + (faultOf(fault).breaks ? 200 : 0);
}
