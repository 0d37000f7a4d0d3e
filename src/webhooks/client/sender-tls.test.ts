// Simulates receivers with every kind of TLS fault. No part of a webhook may reach any of them.
import * as http from 'node:http';
import { connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createAuthority,
  issueSelfSignedCertificate,
  issueServerCertificate,
  validityFrom,
  type Authority,
  type ServerCertificate,
  type ServerCertificateOptions,
} from '../../robots/certificates.ts';
import {
  drip,
  startTcpReceiver,
  startTlsReceiver,
  startTlsSocketReceiver,
} from '../../../harness/receivers/hostile-receiver.ts';
import { getTestAuthority, listenOnLoopback, startReceiver } from '../../../harness/receivers/receiver.ts';
import { Cleanup, createTestSender, post } from '../../../test/scenes/sender.ts';
import type { Sender } from './sender.ts';

const now = Date.now();
const DAY_MS = 86_400_000;
const cleanup = new Cleanup();
let sender: Sender;
let authority: Authority;

beforeAll(async () => {
  authority = await getTestAuthority();
  sender = cleanup.add(await createTestSender());
});
afterAll(() => cleanup.run());

/** Sends to a receiver with this certificate; `sawRequest` is true if any part of the request arrived. */
async function sendTo(certificate: ServerCertificate, options: TlsOptions = {}) {
  let sawRequest = false;
  const receiver = cleanup.add(
    await startTlsReceiver(
      (socket) => {
        sawRequest = true;
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      },
      { certificate, ...options },
    ),
  );
  const outcome = await post(sender, receiver.url());
  return { outcome, sawRequest };
}

function issue(options: Partial<ServerCertificateOptions> = {}, issuer: Authority = authority) {
  return issueServerCertificate(issuer, { names: ['localhost'], now, ...options });
}

describe('accepted', () => {
  test('a certificate of a trusted authority that names the host', async () => {
    expect(await sendTo(await issue())).toMatchObject({ outcome: { ok: true }, sawRequest: true });
  });

  test('the same with a 2048-bit RSA key, over TLS 1.2, and behind an intermediate', async () => {
    const intermediate = await createAuthority('Intermediate', { now, issuer: authority });
    const certificate = await issue({ rsaBits: 2048 }, intermediate);
    expect((await sendTo(certificate, { maxVersion: 'TLSv1.2' })).outcome).toMatchObject({ ok: true });
  });
});

describe('rejected before anything is sent', () => {
  interface Case {
    name: string;
    says: RegExp;
    make?: () => Promise<ServerCertificate>;
    options?: TlsOptions;
  }
  const old: TlsOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' };
  const weak: TlsOptions = { ciphers: 'DEFAULT:@SECLEVEL=0' };
  const commonName = 'localhost';
  const makeWithoutIntermediate = async (): Promise<ServerCertificate> => {
    const issued = await issue({}, await createAuthority('Intermediate', { now, issuer: authority }));
    return { ...issued, chainPem: issued.certificatePem };
  };
  const cases: Case[] = [
    { name: 'self-signed', says: /self-signed/, make: () => issueSelfSignedCertificate({ names: ['localhost'], now }) },
    { name: 'expired', says: /expired/, make: () => issue({ validity: validityFrom(now - 10 * DAY_MS, 9) }) },
    { name: 'not yet valid', says: /not valid yet/, make: () => issue({ validity: validityFrom(now + DAY_MS, 30) }) },
    { name: 'another tenant’s', says: /another host name/, make: () => issue({ names: ['hooks.example.com'] }) },
    { name: 'only a common name', says: /another host name/, make: () => issue({ names: [], commonName }) },
    {
      name: 'a common name and an alternative name that is no host',
      says: /another host name/,
      make: () => issue({ names: [], commonName, email: 'a@localhost' }),
    },
    {
      name: 'an unknown authority',
      says: /not trusted/,
      make: async () => issue({}, await createAuthority('Unknown', { now })),
    },
    { name: 'a missing intermediate', says: /incomplete/, make: makeWithoutIntermediate },
    {
      name: 'meant for clients',
      says: /not issued for server authentication/,
      make: () => issue({ purpose: 'client' }),
    },
    { name: 'a 1024-bit key', says: /too weak/, make: () => issue({ rsaBits: 1024 }), options: weak },
    { name: 'TLS 1.1', says: /TLS 1.2/, options: old },
    { name: 'HTTP/2 only', says: /HTTP\/1.1/, options: { ALPNProtocols: ['h2'] } },
  ];
  test.concurrent.each(cases)('$name', async ({ says, make = issue, options }) => {
    const { outcome, sawRequest } = await sendTo(await make(), options);
    expect(outcome).toMatchObject({ ok: false, errorClass: 'tls', status: null, remoteAddress: '127.0.0.1' });
    expect(outcome.errorText).toMatch(says);
    expect(sawRequest).toBe(false);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('a required client certificate, over %s', async (version) => {
    const options = { requestCert: true, rejectUnauthorized: true, minVersion: version, maxVersion: version };
    const { outcome, sawRequest } = await sendTo(await issue(), options);
    expect(outcome).toMatchObject({ ok: false, errorClass: 'tls' });
    expect(sawRequest).toBe(false);
  });

  test('a certificate accepted for one name is not accepted for another on the same receiver', async () => {
    const certificate = await issue({ names: ['good.localhost'] });
    const answer = (socket: Socket): boolean => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    const receiver = cleanup.add(await startTlsReceiver(answer, { certificate }));
    expect(await post(sender, receiver.url('good.localhost'))).toMatchObject({ ok: true });
    expect(await post(sender, receiver.url('other.localhost'))).toMatchObject({ ok: false, errorClass: 'tls' });
  });
});

describe('no TLS', () => {
  const silent = (): void => {};
  const hangsUp = (socket: Socket): void => {
    socket.once('data', () => socket.destroy());
  };
  // The header of a handshake record of 16 KiB that never completes.
  const dripsBytes = (socket: Socket): void => {
    socket.write(Buffer.from('1603034000', 'hex'));
    drip(socket, '\u0002', 250);
  };
  test.concurrent.each([
    ['silence after accept', silent, /handshake timed out/],
    ['a handshake that drips', dripsBytes, /handshake timed out/],
    ['a connection closed in the handshake', hangsUp, /during the TLS handshake/],
  ])('%s', async (_name, script, text) => {
    const receiver = cleanup.add(await startTcpReceiver((socket) => script(socket.resume())));
    const outcome = await post(sender, receiver.url());
    expect(outcome).toMatchObject({ ok: false, errorClass: 'tls' });
    expect(outcome.errorText).toMatch(text);
    // The connect budget, not the whole deadline.
    expect(outcome.totalMs).toBeLessThan(4_500);
    await receiver.allClosed();
  });

  test('plain HTTP on the port', async () => {
    const server = http.createServer();
    const port = await listenOnLoopback(server);
    cleanup.add({ close: () => new Promise((resolve) => server.close(() => resolve())) });
    expect(await post(sender, `https://localhost:${port}/`)).toMatchObject({
      errorClass: 'tls',
      errorText: 'The receiver does not use TLS on this port',
    });
  });

  test('a port without a listener', async () => {
    const receiver = await startTcpReceiver(() => {});
    await receiver.close();
    expect(await post(sender, receiver.url())).toMatchObject({
      errorClass: 'connect',
      errorText: 'The connection was refused',
    });
  });

  test.concurrent('a port with a full accept queue', async () => {
    // A listener that accepts nothing: the kernel completes handshakes until its backlog is full and ignores the rest.
    const server = createTcpServer({ pauseOnConnect: true });
    await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const fillers = Array.from({ length: 3 }, () => connectTcp(port, '127.0.0.1').on('error', () => {}));
    cleanup.add({
      close: async () => {
        for (const filler of fillers) filler.destroy();
        server.close();
      },
    });
    const outcome = await post(sender, `https://localhost:${port}/`);
    expect(['connect', 'tls']).toContain(outcome.errorClass);
    expect(outcome.totalMs).toBeLessThan(4_500);
  });
});

describe('the live check', () => {
  test('shows addresses, TLS version and the whole chain with the days left', async () => {
    const intermediate = await createAuthority('Intermediate', { now, issuer: authority });
    const receiver = cleanup.add(await startReceiver({ authority: intermediate }));
    const inspection = await sender.inspect(receiver.url());
    expect(inspection).toMatchObject({ ok: true, addresses: ['127.0.0.1'], tlsVersion: 'TLSv1.3', errorText: null });
    expect(inspection.certificates.map(({ subject, issuer }) => [subject, issuer])).toEqual([
      ['localhost', 'Intermediate'],
      ['Intermediate', 'Waybill test authority'],
      ['Waybill test authority', 'Waybill test authority'],
    ]);
    expect(inspection.certificates[0]).toMatchObject({ names: ['localhost'], moreNames: 0, faults: [] });
    expect(inspection.certificates[0]?.daysLeft).toBeGreaterThan(395);
    expect(receiver.requests).toEqual([]);
  });

  interface Refused {
    name: string;
    says: RegExp;
    make: () => Promise<ServerCertificate>;
    /** Of each certificate of the chain: subject, issuer and faults. */
    chain: [subject: string, issuer: string, ...faults: string[]][];
    options?: TlsOptions;
  }
  const ROOT = 'Waybill test authority';
  const expired = validityFrom(now - 10 * DAY_MS, 9);
  const refused: Refused[] = [
    {
      name: 'self-signed',
      says: /self-signed/,
      make: () => issueSelfSignedCertificate({ names: ['localhost'], now }),
      chain: [['localhost', 'localhost', 'issuer']],
    },
    {
      name: 'expired',
      says: /has expired/,
      make: () => issue({ validity: expired }),
      chain: [
        ['localhost', ROOT, 'validity'],
        [ROOT, ROOT],
      ],
    },
    {
      name: 'not yet valid',
      says: /not valid yet/,
      make: () => issue({ validity: validityFrom(now + DAY_MS, 30) }),
      chain: [
        ['localhost', ROOT, 'validity'],
        [ROOT, ROOT],
      ],
    },
    {
      name: 'an intermediate that expired',
      says: /has expired/,
      make: async () => issue({}, await createAuthority('Intermediate', { now, issuer: authority, validity: expired })),
      chain: [
        ['localhost', 'Intermediate'],
        ['Intermediate', ROOT, 'validity'],
        [ROOT, ROOT],
      ],
    },
    {
      name: 'for another name',
      says: /another host name/,
      make: () => issue({ names: ['hooks.example.com', '*.example.com'] }),
      chain: [
        ['hooks.example.com', ROOT, 'names'],
        [ROOT, ROOT],
      ],
    },
    {
      name: 'of an unknown authority',
      says: /not trusted/,
      make: async () => issue({}, await createAuthority('Unknown', { now })),
      chain: [['localhost', 'Unknown', 'issuer']],
    },
    {
      name: 'of an unknown authority that is sent along',
      says: /not trusted/,
      make: async () => {
        const unknown = await createAuthority('Unknown', { now });
        const issued = await issue({}, unknown);
        return { ...issued, chainPem: issued.chainPem + unknown.certificatePem };
      },
      chain: [
        ['localhost', 'Unknown'],
        ['Unknown', 'Unknown', 'issuer'],
      ],
    },
    {
      name: 'everything at once',
      says: /has expired/,
      make: async () => issue({ names: ['a.example'], validity: expired }, await createAuthority('Unknown', { now })),
      chain: [['a.example', 'Unknown', 'validity', 'names', 'issuer']],
    },
    {
      name: 'too weak a key',
      says: /too weak/,
      make: () => issue({ rsaBits: 1024 }),
      options: { ciphers: 'DEFAULT:@SECLEVEL=0' },
      chain: [
        ['localhost', ROOT],
        [ROOT, ROOT],
      ],
    },
  ];

  test.concurrent.each(refused)(
    'shows the presented chain and its faults, and sends no data to the receiver: $name',
    async ({ says, make, chain, options }) => {
      const heard: Buffer[] = [];
      const receiver = cleanup.add(
        await startTlsSocketReceiver((socket) => socket.on('data', (bytes: Buffer) => heard.push(bytes)), {
          certificate: await make(),
          ...options,
        }),
      );
      const inspection = await sender.inspect(receiver.url());
      expect(inspection).toMatchObject({ ok: false, errorClass: 'tls', tlsVersion: 'TLSv1.3' });
      expect(inspection.errorText).toMatch(says);
      expect(inspection.certificates.map(({ subject, issuer, faults }) => [subject, issuer, ...faults])).toEqual(chain);
      await receiver.allClosed();
      expect(heard).toEqual([]);
    },
  );

  test('reports the same error as a webhook attempt, with the validity and the names of the certificate', async () => {
    const names = Array.from({ length: 23 }, (_, index) => `host-${index}.example`);
    const certificate = await issue({ names, validity: expired });
    const receiver = cleanup.add(await startTlsReceiver(() => {}, { certificate }));
    const inspection = await sender.inspect(receiver.url());
    expect(inspection.errorText).toBe((await post(sender, receiver.url())).errorText);
    expect(inspection.certificates[0]).toMatchObject({
      validFrom: new Date(Math.floor(expired.notBefore.getTime() / 1000) * 1000).toISOString(),
      validTo: new Date(Math.floor(expired.notAfter.getTime() / 1000) * 1000).toISOString(),
      daysLeft: -2,
      names: names.slice(0, 5),
      moreNames: 18,
      faults: ['validity', 'names'],
    });
  });

  test('shows no certificates if the handshake fails early or the address is rejected', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
    const receiver = cleanup.add(await startTlsReceiver(() => {}, old));
    expect(await sender.inspect(receiver.url())).toMatchObject({ ok: false, errorClass: 'tls', certificates: [] });
    expect(await sender.inspect('https://10.0.0.1/')).toMatchObject({ ok: false, errorClass: 'invalid_url' });
    const guarded = cleanup.add(await createTestSender({ allowCidrs: [] }));
    const selfSigned = await issueSelfSignedCertificate({ names: ['localhost'], now });
    const hidden = cleanup.add(await startTlsReceiver(() => {}, { certificate: selfSigned }));
    const seen = await guarded.inspect(hidden.url());
    expect(seen).toMatchObject({ errorClass: 'refused_address', certificates: [], remoteAddress: null });
    expect(hidden.acceptedCount).toBe(0);
  });
});

test('a CA file without a certificate stops startup', async () => {
  await expect(createTestSender({ caFile: 'nothing here' })).rejects.toThrow(/no PEM certificate/);
});
