// What a receiver's certificate is verified against: the roots of Node and of the system, and the operator's own CA.
import { X509Certificate } from 'node:crypto';
import * as tls from 'node:tls';

/** Security level 2 rejects RSA keys under 2048 bits and SHA-1 signatures, which Node accepts by default. */
const CIPHERS = `${tls.DEFAULT_CIPHERS}:@SECLEVEL=2`;

/** Loading over a hundred roots is slow, so one context serves every connection. */
export function createTrust(extraCaPem: string | undefined): tls.SecureContext {
  const extra = extraCaPem === undefined ? [] : splitPem(extraCaPem);
  const roots = [...tls.getCACertificates('default'), ...tls.getCACertificates('system'), ...extra];
  return tls.createSecureContext({ ca: [...new Set(roots)], ciphers: CIPHERS, minVersion: 'TLSv1.2' });
}

/** Node falls back to the common name when a certificate has no alternative DNS name; we never do. */
export function checkIdentity(hostname: string, certificate: tls.PeerCertificate): Error | undefined {
  return tls.checkServerIdentity(hostname, { ...certificate, subject: { ...certificate.subject, CN: '' } });
}

function splitPem(text: string): string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (blocks === null) throw new Error('The file of additional certificate authorities contains no PEM certificate');
  // Node would silently ignore an invalid block; here it fails at startup instead.
  return blocks.map((block) => new X509Certificate(block).toString());
}
