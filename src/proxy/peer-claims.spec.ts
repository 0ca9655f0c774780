import { describe, expect, it } from 'vitest';

import { isPeerClaim, Told } from './peer-claims.js';

describe('isPeerClaim', () => {
  it.each([
    'x-forwarded',
    'x-forwarded-prefix',
    'x_forwarded_ssl',
    'x-forwarded_user',
    'x_forwarded-',
    'x-original-url',
    'x_rewrite_url',
  ])('%s may come from a trusted peer alone', (name) => {
    expect([isPeerClaim(name, false), isPeerClaim(name, true)]).toEqual([true, false]);
  });

  it.each([
    'x-client-cert-subject',
    'x_client_cert_fingerprint',
    'x_forwarded_for',
    'x-forwarded_proto',
    'x_real_ip',
    'x_request_id',
  ])('%s from nobody', (name) => {
    expect([isPeerClaim(name, false), isPeerClaim(name, true)]).toEqual([true, true]);
  });

  it.each([
    'x',
    '',
    'x-',
    'x-forwardedfor',
    'xforwarded-for',
    'x-api-key',
    'forwarded-x',
    'a-x-forwarded-for',
  ])('%j is none', (name) => {
    expect(isPeerClaim(name, false)).toBe(false);
  });
});

describe('Told', () => {
  const told = (name: string, value: string): Told => {
    const made = new Told();
    made.take(name, value);
    return made;
  };

  it.each(['https', 'http', 'HTTPS', 'wss'])('takes the scheme %s', (value) => {
    expect(told('x-forwarded-proto', value).proto).toBe(value);
  });

  it.each(['', 'ftp', 'https, http', 'https"', 'javascript'])('takes no scheme from %j', (value) => {
    expect(told('x-forwarded-proto', value).proto).toBeNull();
  });

  it.each(['a.example', 'a_b.example:8443', '192.0.2.1:80', '[2001:db8::1]:443'])(
    'takes the host %s',
    (value) => {
      expect(told('x-forwarded-host', value).host).toBe(value);
    },
  );

  it.each([
    '',
    'a b',
    'a.example, b.example',
    'a/b',
    'u@h',
    'h:',
    'h:999999',
    '[::1',
    '"><script>',
    'x'.repeat(262),
  ])('takes no host from %j', (value) => {
    expect(told('x-forwarded-host', value).host).toBeNull();
  });

  it('takes a port from 1 to 65535', () => {
    const values = ['1', '65535', '0', '65536', '443, 80', '-1', '8080x', ''];
    const ports = values.map((value) => told('x-forwarded-port', value).port);
    expect(ports).toEqual(['1', '65535', null, null, null, null, null, null]);
  });
});
