import { ConfigError } from './config/errors.js';
import { listedExtensions } from './config/extension-list.js';
import type { GatewayConfig } from './config/gateway.config.js';
import { parseConfig, type ParseOptions, readDocumentFile } from './config/loader.js';
import { DocumentThread } from './config/thread/document-thread.js';
import type { ExtensionRegistry } from './extensions/host/extension-registry.js';
import { loadExtensions } from './extensions/host/load-extensions.js';

/** A config document, judged by the extensions that it lists, which are loaded. */
export interface OpenedDocument {
  readonly config: GatewayConfig;
  readonly extensions: ExtensionRegistry;
}

export type OpenedFile = OpenedDocument & {
  /** Reads the file again, judged by the same extensions, in another thread. Rejects with a ConfigError. */
  readonly reload: () => Promise<GatewayConfig>;
};

/** Opens a config file. Rejects with a {@link ConfigError} that names all that is wrong. */
export async function openDocument(file: string): Promise<OpenedFile> {
  const { text, format } = readDocumentFile(file);
  const opened = await openText(text, { file, format });
  const thread = new DocumentThread(opened.extensions);
  return { ...opened, reload: () => thread.load(file) };
}

/** The same with the document's text given. */
export async function openText(text: string, options: ParseOptions): Promise<OpenedDocument> {
  const extensions = await loaded(text, options);
  return { extensions, config: parseConfig(text, { ...options, registered: extensions }) };
}

async function loaded(text: string, options: ParseOptions): Promise<ExtensionRegistry> {
  try {
    return await loadExtensions(listedExtensions(text, options), options.file, process.cwd());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError([...error.issues, ...otherIssues(text, options)]);
  }
}

/** What else is wrong with the document, but for names that nobody can judge now. */
function otherIssues(text: string, options: ParseOptions): ConfigError['issues'] {
  try {
    parseConfig(text, options);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues;
  }
}
