import { parse as parseYaml } from 'yaml';

import { closeAtEnd } from './cleanup.js';
import { type ClientResponse, request, type RequestOptions } from './http-client.js';
import { LogCapture, type LogLine } from './log-capture.js';
import { metricValue } from './metrics.js';
import {
  connectRaw,
  type RawClient,
  type RawClientOptions,
  rawRequest,
  type RawRequestOptions,
  type RawResult,
} from './raw-client.js';
import type { WaitOptions } from './wait.js';
import type { RunningGateway } from '../../src/application.js';
import type { GatewayConfig } from '../../src/config/gateway.config.js';

export interface TestGatewayOptions {
  /** Start the admin application too, on a free port. Default false. */
  readonly admin?: boolean;
  /** Environment that `${NAME}` in the document sees. */
  readonly env?: Record<string, string>;
  /** Name under which the document is known in errors and logs. */
  readonly file?: string;
}

/** A whole gateway inside the test's process, on a free port of 127.0.0.1. */
export class TestGateway implements AsyncDisposable {
  constructor(
    readonly running: RunningGateway,
    private readonly capture: LogCapture,
    private readonly document: TestDocument,
  ) {}

  /** Puts another document in the place of the one it runs on, and reloads; false when it was refused. */
  reload(document: string | object): Promise<boolean> {
    this.document.current = document;
    return this.running.reload();
  }

  /** The log so far, parsed; grows while the gateway runs. */
  get logs(): readonly LogLine[] {
    return this.capture.all;
  }

  /** The log so far, line by line as written. */
  get rawLogs(): readonly string[] {
    return this.capture.lines;
  }

  /** The log lines with this message whose fields equal the given ones. */
  logsWith(msg: string, fields?: Record<string, unknown>): LogLine[] {
    return this.capture.with(msg, fields);
  }

  /** Waits for a log line with this message (and fields), and returns the first. */
  logged(msg: string, fields?: Record<string, unknown>, options?: WaitOptions): Promise<LogLine> {
    return this.capture.until(msg, fields, options);
  }

  get url(): string {
    return this.running.url;
  }

  get port(): number {
    return this.running.port;
  }

  get adminUrl(): string {
    if (this.running.adminUrl === null) throw new Error('start this gateway with {admin: true}');
    return this.running.adminUrl;
  }

  /** Sends a request; the path goes out as written. */
  request(path: string, options?: RequestOptions): Promise<ClientResponse> {
    return request(this.url + path, options);
  }

  get(path: string, options?: Omit<RequestOptions, 'body'>): Promise<ClientResponse> {
    return this.request(path, options);
  }

  /** Sends bytes as they are over a plain socket. */
  raw(bytes: string | Buffer, options?: RawRequestOptions): Promise<RawResult> {
    return rawRequest(this.port, bytes, options);
  }

  connect(options?: RawClientOptions): Promise<RawClient> {
    return connectRaw(this.port, options);
  }

  /** The value of a series in /metrics; undefined when it does not exist. All the labels given must match. */
  async metric(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
    return metricValue((await this.get('/metrics')).text, name, labels);
  }

  stop(signal?: string): Promise<void> {
    return this.running.stop(signal);
  }

  kill(): Promise<void> {
    return this.running.kill();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

/**
 * Starts a gateway on a document: YAML text or an object. What the document leaves out gets test values: host
 * 127.0.0.1, no admin application, a short grace period. The listening port is always a free one.
 */
export async function startTestGateway(
  document: string | object,
  options: TestGatewayOptions = {},
): Promise<TestGateway> {
  await import('reflect-metadata');
  const [{ startGateway }, { parseConfig }, { openText }] = await Promise.all([
    import('../../src/application.js'),
    import('../../src/config/loader.js'),
    import('../../src/gateway.document.js'),
  ]);
  const file = options.file ?? 'test.json';
  const held: TestDocument = { current: document };
  const parse = { file, format: 'json', env: options.env ?? {} } as const;
  const text = (): string => JSON.stringify(withTestDefaults(held.current, options));
  const { config, extensions } = await openText(text(), parse);
  const load = (): GatewayConfig => parseConfig(text(), { ...parse, registered: extensions });
  const logs = new LogCapture();
  const settings = { port: 0, adminPort: 0, file, logDestination: logs, extensions, load };
  const running = await startGateway(config, settings);
  const gateway = new TestGateway(running, logs, held);
  closeAtEnd(() => gateway.kill());
  return gateway;
}

/** The document as it would stand in a file. */
interface TestDocument {
  current: string | object;
}

type Document = Record<string, unknown>;

function withTestDefaults(document: string | object, options: TestGatewayOptions): Document {
  const given = (typeof document === 'string' ? parseYaml(document) : document) as Document;
  const server = { host: '127.0.0.1', shutdown: { grace_period: '1s' }, ...(given['server'] as Document) };
  const admin = { enabled: options.admin ?? false, ...(given['admin'] as Document) };
  return { ...given, server, admin };
}
