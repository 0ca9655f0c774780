import { type Body, framingOf, type HeaderLine, MessageReader, valuesOf } from './http-message.js';

/** One final response with the interim (1xx) ones that came before it. */
export class ParsedResponse {
  constructor(
    readonly status: number,
    readonly statusText: string,
    readonly version: string,
    readonly rawHeaders: readonly HeaderLine[],
    private readonly content: Body,
    readonly interim: readonly InterimResponse[],
  ) {}

  get body(): Buffer {
    return this.content.body;
  }

  get trailers(): readonly HeaderLine[] {
    return this.content.trailers;
  }

  /** False when the body broke off. */
  get complete(): boolean {
    return this.content.complete;
  }

  /** The header's value; several lines are joined with a comma; undefined when it is absent. */
  header(name: string): string | undefined {
    const values = this.headerAll(name);
    return values.length > 0 ? values.join(', ') : undefined;
  }

  headerAll(name: string): string[] {
    return valuesOf(this.rawHeaders, name);
  }

  get text(): string {
    return this.body.toString('utf8');
  }

  json<T = Record<string, unknown>>(): T {
    return JSON.parse(this.text) as T;
  }
}

export interface InterimResponse {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
}

export interface ParseOptions {
  /** Request methods in order, for answers whose framing depends on them (HEAD, CONNECT). Default: GET. */
  readonly methods?: readonly string[];
  /** Whether the peer has ended the connection. */
  readonly closed?: boolean;
}

export interface ParsedStream {
  readonly responses: readonly ParsedResponse[];
  /** What follows the last whole head: empty, the start of another head, or bytes after a 101. */
  readonly rest: Buffer;
}

/** Parses responses that follow each other on one connection. The last one may be incomplete. */
export function parseResponses(bytes: Buffer, options: ParseOptions = {}): ParsedStream {
  const reader = new MessageReader(bytes);
  const responses: ParsedResponse[] = [];
  let interim: InterimResponse[] = [];
  for (;;) {
    const head = reader.head();
    if (head === null) break;
    const line = parseStatusLine(head.startLine);
    if (isInterim(line.status)) {
      interim.push({ status: line.status, headers: head.headers });
      continue;
    }
    const method = options.methods?.[responses.length] ?? 'GET';
    const body = readBody(reader, line.status, method, head.headers, options.closed ?? false);
    responses.push(
      new ParsedResponse(line.status, line.statusText, line.version, head.headers, body, interim),
    );
    interim = [];
    if (!body.complete || line.status === 101) break;
  }
  return { responses, rest: reader.remaining };
}

const NO_BODY: Body = { body: Buffer.alloc(0), trailers: [], complete: true };

/** RFC 9112 §6.3. */
function readBody(
  reader: MessageReader,
  status: number,
  method: string,
  headers: readonly HeaderLine[],
  closed: boolean,
): Body {
  if (method === 'HEAD' || status === 204 || status === 304 || status === 101) return NO_BODY;
  const framing = framingOf(headers);
  if (framing === 'chunked') return reader.chunked();
  return framing === null ? reader.untilClose(closed) : reader.fixed(framing);
}

function parseStatusLine(line: string): { version: string; status: number; statusText: string } {
  const parts = /^(HTTP\/1\.[01]) ([1-5]\d\d) (.*)$/.exec(line);
  if (!parts) throw new Error(`bad status line: ${JSON.stringify(line)}`);
  return { version: parts[1]!, status: Number(parts[2]), statusText: parts[3]! };
}

function isInterim(status: number): boolean {
  return status < 200 && status !== 101;
}
