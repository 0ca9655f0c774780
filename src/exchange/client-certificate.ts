import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** A client's certificate that was verified against `client_ca_file`. */
export interface ClientCertificate {
  /** RFC 4514, most specific part first: `CN=reports,O=Acme\, Inc.,C=DE`; UTF-8 as it is. */
  readonly subject: string;
  /** The same as headers tell it: all but visible ASCII, and `%`, percent-encoded as UTF-8. */
  readonly encodedSubject: string;
  /** SHA-256 over the certificate, 64 hexadecimal digits in lower case. */
  readonly fingerprint: string;
  readonly certificate: X509Certificate;
}

const KNOWN = new WeakMap<TLSSocket, ClientCertificate | null>();

/** The certificate of the client behind a socket, worked out once for each connection; null without a verified one. */
export function clientCertificateOf(socket: Socket): ClientCertificate | null {
  if (!isVerified(socket)) return null;
  let known = KNOWN.get(socket);
  if (known === undefined) {
    known = read(socket);
    KNOWN.set(socket, known);
  }
  return known;
}

/** Whether TLS found a certificate right; a resumed session without one may say so too. */
export function isVerified(socket: Socket): socket is TLSSocket {
  return 'authorized' in socket && socket.authorized === true;
}

function read(socket: TLSSocket): ClientCertificate | null {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return null;
  const subject = oneLine(certificate.subject ?? '');
  return {
    subject,
    encodedSubject: encoded(subject),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    certificate,
  };
}

/** Node gives a line for each part, its values escaped, most general first, and ` + ` within a part of several. */
function oneLine(subject: string): string {
  return subject
    .split('\n')
    .toReversed()
    .map((part) => part.replaceAll(' + ', '+'))
    .join(',');
}

function encoded(text: string): string {
  return text.replaceAll(/[^\x21-\x24\x26-\x7e]+/gu, (rest) => encodeURIComponent(rest.toWellFormed()));
}
