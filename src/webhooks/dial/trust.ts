// Whom a receiver's certificate has to convince: the roots of Node and of the system, and the operator's own CA.
import { X509Certificate } from 'node:crypto';
import * as tls from 'node:tls';

/** Security level 2 refuses RSA keys under 2048 bits and SHA-1 signatures, which Node's default lets through. */
const CIPHERS = `${tls.DEFAULT_CIPHERS}:@SECLEVEL=2`;

/** Reading some hundred roots takes a while, so one context serves every connection. */
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
  // Node would ignore a block that it cannot read; the operator had better hear of it at the start.
  return blocks.map((block) => new X509Certificate(block).toString());
}
