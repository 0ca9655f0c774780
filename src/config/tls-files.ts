import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

import { errorCode } from './references.js';
import { shown } from './secrets.js';
import type { TlsConfig } from './server.config.js';
import type { UpstreamTlsConfig } from './upstream.config.js';

/** What the PEM files of a `tls` block hold; null where none is named. */
export interface TlsFiles {
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

type FileKey = 'ca_file' | 'client_ca_file' | 'cert_file' | 'key_file';

/** What is wrong with one of the files; `message` names the file, and what was expected. */
export interface TlsFileFault {
  readonly key: FileKey;
  readonly message: string;
}

type Config = Readonly<Partial<Record<FileKey, string | null>>>;
type Tell = (key: FileKey, message: string) => void;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/g;

interface TlsFilesRead {
  /** What is at fault is null. */
  readonly files: TlsFiles;
  readonly faults: TlsFileFault[];
}

/** Reads the files of `connection.tls` and holds them against each other. */
export function readTlsFiles(tls: Readonly<UpstreamTlsConfig>): TlsFilesRead {
  return readFiles(tls, 'ca_file');
}

/** The same for a listener's `tls`. */
export function readListenerTlsFiles(tls: Readonly<TlsConfig>): TlsFilesRead {
  return readFiles(tls, 'client_ca_file');
}

function readFiles(tls: Config, caKey: 'ca_file' | 'client_ca_file'): TlsFilesRead {
  const faults: TlsFileFault[] = [];
  const tell: Tell = (key, message) => faults.push({ key, message: `${shown(tls, key)} ${message}` });
  const files = {
    ca: checkedPem(tls, caKey, tell, certificatesFault),
    cert: checkedPem(tls, 'cert_file', tell, certificatesFault),
    key: checkedPem(tls, 'key_file', tell, keyFault),
  };
  if (faults.length === 0) checkTogether(files, tls, tell);
  return { files, faults };
}

function checkedPem(
  tls: Config,
  key: FileKey,
  tell: Tell,
  faultOf: (pem: string) => string | null,
): string | null {
  const file = tls[key] ?? null;
  if (file === null) return null;
  const pem = readText(file, key, tell);
  const fault = pem === null ? null : faultOf(pem);
  if (fault !== null) tell(key, fault);
  return fault === null ? pem : null;
}

function readText(file: string, key: FileKey, tell: Tell): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    tell(key, `cannot be read (${errorCode(error)}), expected a readable file`);
    return null;
  }
}

function certificatesFault(pem: string): string | null {
  const blocks = pem.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) return 'holds no certificate, expected certificates in PEM';
  const broken = blocks.findIndex((block) => !isCertificate(block));
  return broken === -1
    ? null
    : `holds a broken certificate (number ${broken + 1}), expected certificates in PEM`;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).subject !== null;
  } catch {
    return false;
  }
}

function keyFault(pem: string): string | null {
  if (/-----BEGIN ENCRYPTED |Proc-Type: 4,ENCRYPTED/.test(pem))
    return 'is encrypted, expected a key without passphrase';
  try {
    createPrivateKey(pem);
    return null;
  } catch {
    return 'holds no private key, expected one in PEM';
  }
}

function checkTogether({ ca, cert, key }: TlsFiles, tls: Config, tell: Tell): void {
  if (cert === null || key === null) return;
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    return tell('key_file', `does not belong to cert_file (${shown(tls, 'cert_file')}), expected its key`);
  try {
    createSecureContext({ cert, key, ...(ca !== null && { ca }) });
  } catch {
    tell('cert_file', 'is refused by OpenSSL, expected a certificate and key that are strong enough');
  }
}
