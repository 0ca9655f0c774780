import { type Body, framingOf, type HeaderLine, MessageReader, valuesOf } from './http-message.js';

/** One request as a plain socket server received it. */
export class ParsedRequest {
  constructor(
    readonly method: string,
    /** The request target, byte for byte. */
    readonly target: string,
    readonly version: string,
    readonly rawHeaders: readonly HeaderLine[],
    private readonly content: Body,
  ) {}

  get body(): Buffer {
    return this.content.body;
  }

  get trailers(): readonly HeaderLine[] {
    return this.content.trailers;
  }

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
}

/** Parses requests that follow each other on one connection; the last one may have an incomplete body. */
export function parseRequests(bytes: Buffer): { requests: readonly ParsedRequest[]; rest: Buffer } {
  const reader = new MessageReader(bytes);
  const requests: ParsedRequest[] = [];
  for (;;) {
    const head = reader.head();
    if (head === null) break;
    const parts = /^([^ ]+) ([^ ]+) (HTTP\/1\.[01])$/.exec(head.startLine);
    if (!parts) throw new Error(`bad request line: ${JSON.stringify(head.startLine)}`);
    const framing = framingOf(head.headers);
    const body = framing === 'chunked' ? reader.chunked() : reader.fixed(framing ?? 0);
    requests.push(new ParsedRequest(parts[1]!, parts[2]!, parts[3]!, head.headers, body));
    if (!body.complete) break;
  }
  return { requests, rest: reader.remaining };
}
