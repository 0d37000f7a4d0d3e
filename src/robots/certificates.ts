// A small certificate authority: the demo's local CA and the receivers of the tests.
import './reflect-metadata.ts';
import { webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
  type Extension,
  type JsonGeneralNames,
} from '@peculiar/x509';
import { isIP } from 'node:net';

type CryptoKey = webcrypto.CryptoKey;
type CryptoKeyPair = webcrypto.CryptoKeyPair;

const DAY_MS = 86_400_000;
/** Browsers and other clients refuse server certificates with a longer lifetime. */
const SERVER_LIFETIME_DAYS = 397;
const AUTHORITY_LIFETIME_DAYS = 3650;

export interface Validity {
  notBefore: Date;
  notAfter: Date;
}

export interface Authority {
  name: string;
  certificatePem: string;
  privateKeyPem: string;
  /** What a server has to send after its own certificate: the intermediates, without the root. */
  chainPem: string;
  keys: CryptoKeyPair;
}

export interface ServerCertificate {
  /** The certificate alone. */
  certificatePem: string;
  /** The certificate and the intermediates that lead to the root. */
  chainPem: string;
  privateKeyPem: string;
}

export interface AuthorityOptions {
  validity?: Validity;
  /** Makes an intermediate, signed by this authority, instead of a root. */
  issuer?: Authority;
}

export interface ServerCertificateOptions {
  /** DNS names and IP addresses for the subject alternative name; none leaves the extension out. */
  names: readonly string[];
  commonName?: string;
  validity?: Validity;
  purpose?: 'server' | 'client';
  /** RSA of this size instead of P-256. */
  rsaBits?: number;
  /** An alternative name that is an e-mail address, which names no host. */
  email?: string;
}

/** Starts five minutes ago, so that two clocks may differ slightly. */
export function validityFrom(now: number, days: number): Validity {
  return { notBefore: new Date(now - 300_000), notAfter: new Date(now + days * DAY_MS) };
}

export async function createAuthority(name: string, options: AuthorityOptions & { now: number }): Promise<Authority> {
  const keys = await makeKeys();
  const issuer = options.issuer;
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: `CN=${issuer?.name ?? name}`,
    ...(options.validity ?? validityFrom(options.now, AUTHORITY_LIFETIME_DAYS)),
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    signingAlgorithm: ECDSA_SHA256,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ...(await keyIdentifiers(keys, issuer?.keys ?? keys)),
    ],
  });
  const certificatePem = `${certificate.toString('pem')}\n`;
  return {
    name,
    certificatePem,
    privateKeyPem: await exportPrivateKey(keys.privateKey),
    chainPem: issuer === undefined ? '' : certificatePem + issuer.chainPem,
    keys,
  };
}

/** Rebuilds an authority that was kept on disk as PEM. */
export async function loadAuthority(name: string, certificatePem: string, privateKeyPem: string): Promise<Authority> {
  const der = Buffer.from(privateKeyPem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  const privateKey = await webcrypto.subtle.importKey('pkcs8', der, P256, true, ['sign']);
  const jwk = await webcrypto.subtle.exportKey('jwk', privateKey);
  const { d: _secret, key_ops: _uses, ...publicPart } = jwk;
  const publicKey = await webcrypto.subtle.importKey('jwk', publicPart, P256, true, ['verify']);
  return { name, certificatePem, privateKeyPem, chainPem: '', keys: { privateKey, publicKey } };
}

export async function issueServerCertificate(
  authority: Authority,
  options: ServerCertificateOptions & { now: number },
): Promise<ServerCertificate> {
  const keys = await makeKeys(options.rsaBits);
  return sign(keys, { issuerName: authority.name, issuerKeys: authority.keys, chainPem: authority.chainPem }, options);
}

export async function issueSelfSignedCertificate(
  options: ServerCertificateOptions & { now: number },
): Promise<ServerCertificate> {
  const keys = await makeKeys(options.rsaBits);
  return sign(keys, { issuerName: commonNameOf(options), issuerKeys: keys, chainPem: '' }, options);
}

interface Issuer {
  issuerName: string;
  issuerKeys: CryptoKeyPair;
  chainPem: string;
}

async function sign(
  keys: CryptoKeyPair,
  issuer: Issuer,
  options: ServerCertificateOptions & { now: number },
): Promise<ServerCertificate> {
  const extensions: Extension[] = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, true),
    new ExtendedKeyUsageExtension([
      options.purpose === 'client' ? ExtendedKeyUsage.clientAuth : ExtendedKeyUsage.serverAuth,
    ]),
    ...(await keyIdentifiers(keys, issuer.issuerKeys)),
  ];
  const alternatives = alternativeNames(options);
  if (alternatives.length > 0) extensions.push(new SubjectAlternativeNameExtension(alternatives));
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${commonNameOf(options)}`,
    issuer: `CN=${issuer.issuerName}`,
    ...(options.validity ?? validityFrom(options.now, SERVER_LIFETIME_DAYS)),
    publicKey: keys.publicKey,
    signingKey: issuer.issuerKeys.privateKey,
    signingAlgorithm: issuer.issuerKeys.privateKey.algorithm.name === 'ECDSA' ? ECDSA_SHA256 : RSA_SHA256,
    extensions,
  });
  const certificatePem = `${certificate.toString('pem')}\n`;
  return {
    certificatePem,
    chainPem: certificatePem + issuer.chainPem,
    privateKeyPem: await exportPrivateKey(keys.privateKey),
  };
}

const P256 = { name: 'ECDSA', namedCurve: 'P-256' };
const ECDSA_SHA256 = { name: 'ECDSA', hash: 'SHA-256' };
const RSA_SHA256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };

async function makeKeys(rsaBits?: number): Promise<CryptoKeyPair> {
  if (rsaBits === undefined) return webcrypto.subtle.generateKey(P256, true, ['sign', 'verify']);
  return webcrypto.subtle.generateKey(
    { ...RSA_SHA256, modulusLength: rsaBits, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ['sign', 'verify'],
  );
}

async function keyIdentifiers(keys: CryptoKeyPair, issuerKeys: CryptoKeyPair): Promise<Extension[]> {
  return [
    await SubjectKeyIdentifierExtension.create(keys.publicKey),
    await AuthorityKeyIdentifierExtension.create(issuerKeys.publicKey),
  ];
}

function alternativeNames(options: ServerCertificateOptions): JsonGeneralNames {
  const names: JsonGeneralNames = options.names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }));
  if (options.email !== undefined) names.push({ type: 'email', value: options.email });
  return names;
}

function commonNameOf(options: ServerCertificateOptions): string {
  return options.commonName ?? options.names[0] ?? 'nobody';
}

async function exportPrivateKey(key: CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}
