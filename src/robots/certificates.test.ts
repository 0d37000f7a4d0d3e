import { X509Certificate, createPrivateKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthority, issueSelfSignedCertificate, issueServerCertificate, loadAuthority } from './certificates.ts';

const now = Date.now();
const authority = await createAuthority('Test authority', { now });
const root = new X509Certificate(authority.certificatePem);

test('a server certificate is signed by its authority, names its hosts and matches its private key', async () => {
  const issued = await issueServerCertificate(authority, { names: ['receiver.test', '127.0.0.1'], now });
  const certificate = new X509Certificate(issued.certificatePem);
  expect(certificate.verify(root.publicKey)).toBe(true);
  expect(certificate.checkIssued(root)).toBe(true);
  expect(certificate.ca).toBe(false);
  expect(certificate.checkHost('receiver.test')).toBe('receiver.test');
  expect(certificate.checkHost('other.test')).toBeUndefined();
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(certificate.checkPrivateKey(createPrivateKey(issued.privateKeyPem))).toBe(true);
});

test('an intermediate authority includes its own certificate in the chain, and the root is never sent', async () => {
  const intermediate = await createAuthority('Intermediate', { now, issuer: authority });
  const issued = await issueServerCertificate(intermediate, { names: ['receiver.test'], now });
  const chain = issued.chainPem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  expect(chain).toHaveLength(2);
  const [leaf, middle] = chain.map((pem) => new X509Certificate(pem));
  expect(middle && leaf?.verify(middle.publicKey)).toBe(true);
  expect(middle?.verify(root.publicKey)).toBe(true);
});

test('an authority loaded from its PEM files signs as before', async () => {
  const loaded = await loadAuthority(authority.name, authority.certificatePem, authority.privateKeyPem);
  const issued = await issueServerCertificate(loaded, { names: ['receiver.test'], now });
  expect(new X509Certificate(issued.certificatePem).verify(root.publicKey)).toBe(true);
});

test('a self-signed certificate does not verify against the authority', async () => {
  const issued = await issueSelfSignedCertificate({ names: ['receiver.test'], now });
  const certificate = new X509Certificate(issued.certificatePem);
  expect(certificate.verify(root.publicKey)).toBe(false);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
});
