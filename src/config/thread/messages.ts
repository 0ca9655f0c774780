import type { ConfigIssue } from '../errors.js';
import type { Environment } from '../references.js';
import type { Line } from './judge-elsewhere.js';
import type { Parcel } from './parcel.js';

/** What the document's thread is asked for, one at a time. */
export interface LoadRequest {
  readonly file: string;
  readonly env: Environment;
  readonly registered: {
    readonly guards: readonly string[];
    readonly interceptors: readonly string[];
    readonly extensions?: readonly string[];
  } | null;
  /** Null: options are not judged. */
  readonly judge: Line | null;
}

export type LoadAnswer =
  | { readonly parcel: Parcel }
  /** The document does not hold. */
  | { readonly issues: readonly ConfigIssue[] }
  /** The loader itself failed. */
  | { readonly fault: Error };
