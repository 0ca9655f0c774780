import { describe, expect, it } from 'vitest';

import { ProxyError, TlsError } from './connect-errors.js';

const RAW =
  '4083B5F2B97F0000:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl/ssl/x.c:77:\n';

describe('TlsError', () => {
  it('says the reason and the code of what OpenSSL tells', () => {
    const raised = {
      code: 'ERR_SSL_WRONG_VERSION_NUMBER',
      reason: 'wrong version number',
      library: 'SSL routines',
    };
    const error = new TlsError(Object.assign(new Error(RAW), raised));
    expect(error.message).toBe('TLS failed: wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)');
  });

  it('keeps the words of a certificate that was refused', () => {
    const name = {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      reason: "Host: a. is not in the cert's altnames: DNS:b",
    };
    expect(new TlsError(Object.assign(new Error(`Mismatch! ${name.reason}`), name)).message).toBe(
      `TLS failed: Mismatch! ${name.reason}`,
    );
    const ended = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
    expect(new TlsError(ended).message).toBe('TLS failed: certificate has expired');
  });
});

describe('ProxyError', () => {
  it('joins what went wrong with each address', () => {
    const both = new AggregateError([new Error('refused 1'), new Error('refused 2')]);
    expect(new ProxyError('p:1', both).message).toBe('proxy p:1: refused 1; refused 2');
  });
});
