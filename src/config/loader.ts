import { dirname, extname, resolve } from 'node:path';

import { assemble } from './assemble/assemble.js';
import { finish } from './assemble/finish.js';
import { resolveProxies } from './assemble/proxies.js';
import { checkAll } from './checks/check-all.js';
import { DocumentConfig } from './document.config.js';
import type { Registered } from './draft.js';
import { processEnvironment } from './environment.js';
import { ConfigError, type ConfigIssue } from './errors.js';
import type { GatewayConfig } from './gateway.config.js';
import { Judge } from './judge.js';
import { rememberTrace } from './places.js';
import { DocumentTooLarge, Reader } from './reader.js';
import type { Environment } from './references.js';
import { Report } from './report.js';
import { documentText, fileProblem, MAX_DOCUMENT, TOO_LARGE } from './source/document-file.js';
import { readJson } from './source/json-reader.js';
import type { Source } from './source/node.js';
import { readYaml } from './source/yaml-reader.js';
import { Trace } from './trace.js';
import { UNAVAILABLE, type UnavailableKeys } from './unavailable.js';

export { ConfigError, ConfigIssue } from './errors.js';

export interface ParseOptions {
  /** Named in errors; relative files of the document lie beside it. */
  readonly file: string;
  readonly format: 'yaml' | 'json';
  /** Where references are looked up; default: the environment of the process and `.env`. */
  readonly env?: Environment;
  /** Default: the names of guards and interceptors are not judged. */
  readonly registered?: Registered;
  /** What is not built yet; default: the one table. */
  readonly unavailable?: UnavailableKeys;
}

/** Reads a config file, JSON by its extension, else YAML. Throws a {@link ConfigError} with all that is wrong. */
export function loadConfig(file: string, env?: Environment, registered?: Registered): GatewayConfig {
  const { text, format } = readDocumentFile(file);
  return parseConfig(text, { file, format, ...(env && { env }), ...(registered && { registered }) });
}

/** A config file's text, and what it is by its extension. Throws a {@link ConfigError} when it cannot be read. */
export function readDocumentFile(file: string): { text: string; format: 'yaml' | 'json' } {
  return { text: documentText(file), format: extname(file).toLowerCase() === '.json' ? 'json' : 'yaml' };
}

/** Reads a document: what `loadConfig` does, with the text given. The result is frozen. */
export function parseConfig(text: string, options: ParseOptions): GatewayConfig {
  if (text.length > MAX_DOCUMENT) throw fileProblem(options.file, TOO_LARGE);
  const clean = text.replace(/^\uFEFF/, '');
  const report = new Report(new Trace(options.file, clean));
  const document = readDocument(clean, report, options);
  const draft = assemble(document, report, options.registered);
  checkAll(draft);
  resolveProxies(draft, () => options.env ?? processEnvironment());
  if (report.issues.length > 0) throw new ConfigError(report.issues);
  const config = finish(draft);
  report.trace.copy(document, config);
  rememberTrace(config, report.trace);
  return config;
}

/** Throws when there is no document at all, or its syntax is broken. */
function readDocument(text: string, report: Report, options: ParseOptions): DocumentConfig {
  const source = options.format === 'json' ? readJson(text) : readYaml(text);
  const broken = source.problems.length > 0;
  const document = readRoot(source, report, options);
  if (!broken && document) return document;
  const syntax = source.problems.map(({ offset, message }) =>
    report.trace.issue({ path: '', offset }, message),
  );
  throw new ConfigError([...firstOfEachLine(syntax), ...before(syntax, report.issues)]);
}

/** One slip makes the rest of its line unreadable. */
function firstOfEachLine(faults: readonly ConfigIssue[]): ConfigIssue[] {
  const lines = new Map<number, ConfigIssue>();
  for (const fault of faults) if (!lines.has(fault.line)) lines.set(fault.line, fault);
  return [...lines.values()];
}

/** What follows a syntax error was read by guess. */
function before(faults: readonly ConfigIssue[], issues: readonly ConfigIssue[]): ConfigIssue[] {
  const first = faults.reduce((least, { line }) => Math.min(least, line), Infinity);
  return issues.filter(({ line }) => line < first);
}

function readRoot(source: Source, report: Report, options: ParseOptions): DocumentConfig | undefined {
  const { root, problems } = source;
  if (root?.kind !== 'map') {
    const what =
      !root || (root.kind === 'scalar' && root.value === null) ? 'is empty' : `is a ${name(root.kind)}`;
    const expected = 'expected a map with at least `routes`';
    if (problems.length === 0) report.spot({ path: '', offset: root?.offset ?? 0 }, `${what}, ${expected}`);
    return undefined;
  }
  const references = { env: options.env ?? processEnvironment(), directory: dirname(resolve(options.file)) };
  const judge = new Judge(report, options.unavailable ?? UNAVAILABLE, problems.length === 0);
  try {
    return new Reader(references, report, judge).read(DocumentConfig, root);
  } catch (error) {
    if (!(error instanceof DocumentTooLarge)) throw error;
    report.spot({ path: '', offset: 0 }, error.message);
    return undefined;
  }
}

function name(kind: 'list' | 'scalar'): string {
  return kind === 'list' ? 'list' : 'single value';
}
