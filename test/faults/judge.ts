import { REASONS, type AnswerReason } from '../../src/exchange/reasons.js';
import { contentOf } from './content.js';
import { faultOf, type Outcome } from './faults.js';
import type { Group, RequestPlan } from './plan.js';
import { uploadCrc } from './requests.js';
import type { Answer } from './response-reader.js';

/** What the log must say of an exchange, as its client saw it. */
export interface Seen {
  /** The head of an answer came. */
  readonly status: number;
  /** Bytes of the whole body; -1 when it was not whole. */
  readonly bytes: number;
  /** The gateway's own answer. */
  readonly own: boolean;
  /** The client stayed to the end. */
  readonly stayed: boolean;
}

/** What may come beside what the fault itself allows. */
const BESIDE: Readonly<Record<Group, readonly Outcome[]>> = {
  steady: [],
  shaky: ['cut', 'upstream_unavailable', 'upstream_timeout', 'no_healthy_backend'],
  tight: ['overloaded', 'upstream_timeout'],
  dead: ['upstream_unavailable', 'no_healthy_backend'],
  limited: ['rate_limited'],
  small: ['payload_too_large'],
};

/** What a machine that stood still makes of any exchange. */
const AFTER_STANDSTILL: ReadonlySet<Outcome> = new Set([
  'cut',
  'upstream_timeout',
  'request_timeout',
  'upstream_unavailable',
]);

/** A client's connection, as far as it was answered. */
interface Connection {
  readonly answers: readonly Answer[];
  readonly wasReset: boolean;
}

/** Holds what clients see against what they may see, and keeps it for the comparison with the log. */
export class Judge {
  readonly seen = new Map<string, Seen>();
  readonly outcomes = new Map<string, number>();
  readonly violations: string[] = [];
  /** `performance.now()` of the last time the event loop here stood still for long. */
  lastStandstill = -Infinity;

  violation(message: string): void {
    this.violations.push(message);
  }

  /** One request of a client that waited for its answer. */
  answered(
    plan: RequestPlan,
    client: Connection,
    at: number,
    since: number,
    also: readonly Outcome[] = [],
  ): void {
    const answer = client.answers[at];
    const allowed = [...allowedOf(plan), ...also];
    // A reset cuts an answer so early that its head is lost too.
    if (!answer && client.wasReset && allowed.includes('cut')) return;
    if (!answer) return this.violation(`${describe(plan)}: the connection ended without an answer`);
    const outcome = this.read(plan, answer, true);
    if (outcome === null) return;
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    if (allowed.includes(outcome)) return;
    if (since <= this.lastStandstill && AFTER_STANDSTILL.has(outcome)) return;
    this.violation(`${describe(plan)}: got ${outcome}, not ${allowed.join(' or ')}; ${excerpt(answer)}`);
  }

  /** What came is this request's own, as far as it came; null when it is not. */
  read(plan: RequestPlan, answer: Answer, stayed: boolean): Outcome | null {
    const own = answer.header('x-tag') === undefined;
    const bytes = answer.complete ? answer.reader.bytes : -1;
    this.seen.set(plan.tag, { status: answer.status, bytes, own, stayed });
    const wrong =
      answer.header('x-request-id') === plan.tag
        ? own
          ? wrongProblem(plan, answer)
          : wrongContent(plan, answer)
        : `request id ${answer.header('x-request-id')}`;
    if (wrong !== null) {
      this.violation(`${describe(plan)}: ${wrong}; ${excerpt(answer)}`);
      return null;
    }
    if (!answer.complete) return 'cut';
    return own ? codeOf(plan, answer) : 'ok';
  }
}

function allowedOf({ group, fault }: RequestPlan): readonly Outcome[] {
  return group === 'dead' ? BESIDE.dead : [...faultOf(fault).allowed, ...BESIDE[group]];
}

function wrongContent(plan: RequestPlan, answer: Answer): string | null {
  if (answer.header('x-tag') !== plan.tag) return `the answer of ${answer.header('x-tag')}`;
  const tellsUpload = plan.upload !== null && !faultOf(plan.fault).early;
  if (tellsUpload && answer.header('x-got') !== String(uploadCrc(plan)))
    return 'answered before the upload was whole';
  const bodiless = plan.method === 'HEAD' || answer.status === 204;
  const size = bodiless ? 0 : (faultOf(plan.fault).visible?.(plan.size) ?? plan.size);
  const { body } = answer;
  if (!contentOf(plan.tag, plan.size).subarray(0, body.length).equals(body))
    return 'the body has other bytes';
  if (answer.complete && body.length !== size) return `a clean end after ${body.length} bytes of ${size}`;
  return null;
}

function wrongProblem(plan: RequestPlan, answer: Answer): string | null {
  if (answer.header('content-type') !== 'application/problem+json')
    return 'neither the upstream’s nor a problem';
  if (!answer.complete) return 'a problem document broke off';
  if (plan.method === 'HEAD') return null;
  const problem = problemOf(answer);
  if (problem.instance !== plan.tag) return `the problem of ${problem.instance}`;
  const known = REASONS[problem.code];
  if (!known || known.status !== answer.status)
    return `an unknown problem: ${problem.code} with ${answer.status}`;
  return null;
}

interface ProblemDocument {
  readonly instance: string;
  readonly code: AnswerReason;
}

export function problemOf(answer: Answer): ProblemDocument {
  return JSON.parse(answer.body.toString('utf8')) as ProblemDocument;
}

/** To HEAD only the status speaks. */
function codeOf(plan: RequestPlan, answer: Answer): Outcome {
  if (plan.method !== 'HEAD') return problemOf(answer).code;
  const fits = allowedOf(plan).find(
    (it) => it in REASONS && REASONS[it as AnswerReason].status === answer.status,
  );
  return fits ?? (Object.keys(REASONS) as AnswerReason[]).find((it) => REASONS[it].status === answer.status)!;
}

export function describe(plan: RequestPlan): string {
  const upload = plan.upload ? ` with ${JSON.stringify(plan.upload)}` : '';
  return `${plan.tag} (${plan.method} ${plan.group}, ${plan.fault}, ${plan.size} bytes${upload})`;
}

function excerpt(answer: Answer): string {
  return `${answer.status}, ${answer.reader.bytes} bytes, complete: ${answer.complete}, ${JSON.stringify(answer.headers).slice(0, 300)}`;
}
