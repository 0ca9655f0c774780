import { dirname, resolve } from 'node:path';

import { processEnvironment } from './environment.js';
import type { ConfigIssue } from './errors.js';
import type { ParseOptions } from './loader.js';
import { expandReferences, type ReferenceSource } from './references.js';
import { readJson } from './source/json-reader.js';
import type { ScalarNode, SourceNode } from './source/node.js';
import { readYaml } from './source/yaml-reader.js';
import { joinPath, Trace } from './trace.js';

/** One entry of `extensions`. */
export interface ListedExtension {
  /** A path beside the document, or the name of a package. */
  readonly specifier: string;
  /** Says what is wrong with it, at its place. */
  readonly issue: (message: string) => ConfigIssue;
}

/**
 * The modules that a document lists under `extensions`, read before all else, since what they register decides which
 * names hold. What is wrong with the list itself is left to the loader to say.
 */
export function listedExtensions(
  text: string,
  { file, format, env }: Pick<ParseOptions, 'file' | 'format' | 'env'>,
): ListedExtension[] {
  const clean = text.replace(/^\uFEFF/, '');
  if (!clean.includes('extensions')) return [];
  const { root } = format === 'json' ? readJson(clean) : readYaml(clean);
  const trace = new Trace(file, clean);
  const references = { env: env ?? processEnvironment(), directory: dirname(resolve(file)) };
  return entriesOf(root).flatMap((node, index) => {
    const specifier = textOf(node, references);
    if (specifier === null) return [];
    const spot = { path: joinPath('extensions', index), offset: node.offset };
    return [{ specifier, issue: (message: string) => trace.issue(spot, message) }];
  });
}

function entriesOf(root: SourceNode | null): readonly SourceNode[] {
  if (root?.kind !== 'map') return [];
  const list = root.entries.find(({ key }) => key === 'extensions')?.value;
  return list?.kind === 'list' ? list.items : [];
}

function textOf(node: SourceNode, references: ReferenceSource): string | null {
  if (node.kind !== 'scalar' || !isText(node)) return null;
  const { text, problems } = expandReferences(node.value, references);
  return problems.length > 0 ? null : text;
}

function isText(node: ScalarNode): node is ScalarNode & { value: string } {
  return typeof node.value === 'string' && node.value !== '';
}
