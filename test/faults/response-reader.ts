import { framingOf, type HeaderLine, MessageReader, valuesOf } from '../support/http-message.js';
import { BodyReader, type Framing } from './body-reader.js';

/** One final answer as far as it came. */
export class Answer {
  readonly pieces: Buffer[] = [];
  readonly reader: BodyReader;
  constructor(
    readonly status: number,
    readonly version: string,
    readonly headers: readonly HeaderLine[],
    framing: Framing,
  ) {
    this.reader = new BodyReader(framing, (piece) => this.pieces.push(Buffer.from(piece)));
  }

  get complete(): boolean {
    return this.reader.complete;
  }

  get body(): Buffer {
    return Buffer.concat(this.pieces);
  }

  header(name: string): string | undefined {
    const values = valuesOf(this.headers, name);
    return values.length > 0 ? values.join(', ') : undefined;
  }

  /** No further answer comes on this connection. */
  get isLast(): boolean {
    const connection = this.header('connection')?.toLowerCase();
    return connection === 'close' || (this.version === '1.0' && connection !== 'keep-alive');
  }
}

/** Cuts a client's bytes into answers, strictly and as they come. */
export class ResponseReader {
  readonly answers: Answer[] = [];
  readonly interim: number[] = [];
  #rest: Buffer = Buffer.alloc(0);

  /** @param methods of the requests sent, in order; grows while the connection lives */
  constructor(readonly methods: readonly string[]) {}

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length > 0) {
      const current = this.answers.at(-1);
      if (current && !current.complete) this.#rest = current.reader.take(this.#rest);
      else if (!this.#head()) return;
    }
  }

  /** The peer ended the connection; `cleanly` by a FIN. */
  end(cleanly: boolean): void {
    const current = this.answers.at(-1);
    if (current?.reader.framing === 'close' && cleanly) current.reader.complete = true;
    else if (cleanly && this.#rest.length > 0)
      throw new Error(`ended inside a head: ${this.#rest.toString('latin1')}`);
  }

  #head(): boolean {
    const reader = new MessageReader(this.#rest);
    const head = reader.head();
    if (head === null) return false;
    this.#rest = reader.remaining;
    const line = /^HTTP\/(1\.[01]) ([1-5]\d\d) /.exec(head.startLine);
    if (!line) throw new Error(`bad status line: ${JSON.stringify(head.startLine)}`);
    const status = Number(line[2]);
    if (status < 200) this.interim.push(status);
    else this.#final(status, line[1]!, head.headers);
    return true;
  }

  #final(status: number, version: string, headers: readonly HeaderLine[]): void {
    const method = this.methods[this.answers.length];
    if (this.answers.at(-1)?.isLast) throw new Error('an answer behind Connection: close');
    const bodiless = method === 'HEAD' || status === 204 || status === 304;
    this.answers.push(new Answer(status, version, headers, bodiless ? 0 : (framingOf(headers) ?? 'close')));
  }
}
