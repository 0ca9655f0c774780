import { createHash, X509Certificate } from 'node:crypto';

import type { TlsConfig } from '../config/server.config.js';
import { readListenerTlsFiles } from '../config/tls-files.js';

/** What the files of a listener's `tls` hold, once it is known that they fit each other. */
export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  /** The authorities of clients' certificates; null for none. */
  readonly ca: string | null;
  /** Equal for equal contents; tells nothing of them. */
  readonly digest: string;
  /** When the certificate ends, in ISO 8601. */
  readonly expires: string;
}

/** Reads the files; a text says what is wrong with them, key and file first. */
export function readMaterial(tls: Readonly<TlsConfig>): TlsMaterial | string {
  const { files, faults } = readListenerTlsFiles(tls);
  if (faults.length > 0) return faults.map(({ key, message }) => `${key}: ${message}`).join('; ');
  const { ca } = files;
  const cert = files.cert!;
  const key = files.key!;
  const digest = createHash('sha256')
    .update(JSON.stringify([cert, key, ca]))
    .digest('hex');
  return { cert, key, ca, digest, expires: new X509Certificate(cert).validToDate.toISOString() };
}
