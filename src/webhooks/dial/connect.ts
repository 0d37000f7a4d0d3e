// Opens one TLS connection to an endpoint: resolve, check every address, connect, check the address that was in fact
// reached, shake hands, check the certificate. The HTTP client is handed a finished socket and dials nothing itself.
//
// The phases of a dial:
//
// - `resolving`: waits for the addresses of the name. Moves to `connecting` with the first of them that is allowed.
// - `connecting`: waits for a TCP connection to one address, then moves to `securing`. If it fails, it stays in this
//   phase with the next address while there is one and time for it.
// - `securing`: the TLS handshake. A failure here is final: the receiver was reached.
// - `over`: reported or canceled, and nothing that still happens to a socket of it counts. Every phase may end here.
import * as net from 'node:net';
import * as tls from 'node:tls';
import type { Clock } from '../../platform.ts';
import type { AddressGuard } from './address-guard.ts';
import { codeOf, connectFailed, REFUSED_ADDRESS, tlsFailed, type AttemptFailure } from './attempt-failure.ts';
import type { NameResolver, Resolution } from './resolve.ts';
import { checkIdentity } from './trust.ts';

/** For all addresses together, handshake included; well under the attempt's 5 s, so that a request still fits. */
const CONNECT_BUDGET_MS = 3000;
/** For one address when there are others to try. */
const ADDRESS_BUDGET_MS = 1500;
const MAX_ADDRESSES_TRIED = 4;
const ALPN = ['http/1.1'];

export interface Destination {
  hostname: string;
  port: number;
  isSpecial: boolean;
}

export interface DialDeps {
  clock: Clock;
  guard: AddressGuard;
  resolver: NameResolver;
  trust: tls.SecureContext;
}

export interface DialTimes {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
}

export interface Dialled {
  socket: tls.TLSSocket;
  /** Where what is read goes, instead of to listeners of the socket. */
  reading: Reading;
  remoteAddress: string;
  addresses: readonly string[];
}

export interface Reading {
  /** The bytes are the caller's: whoever wants to keep them copies them. Before it is set, what arrives is dropped. */
  onBytes: ((bytes: Buffer) => void) | null;
}

/**
 * All connections read into the same memory, one after another. As streams they would get some of their own for each
 * answer, which costs more than reading it.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(65_536);

function readInto(reading: Reading): net.OnReadOpts {
  return {
    buffer: READ_BUFFER,
    callback(length) {
      reading.onBytes?.(READ_BUFFER.subarray(0, length));
      return true;
    },
  };
}

export interface DialListener {
  onDialled(dialled: Dialled): void;
  /** `code` is Node's or OpenSSL's for it, empty where there is none. */
  onDialFailed(failure: AttemptFailure, code: string): void;
  /** For a look at the certificates before it is known whether they are accepted. */
  onCertificates?(socket: tls.TLSSocket): void;
}

type Phase = 'resolving' | 'connecting' | 'securing' | 'over';

/** One walk from a name to a secured socket. Reports exactly once, unless it is cancelled first. */
export class Dial implements DialTimes {
  dnsMs: number | null = null;
  connectMs: number | null = null;
  tlsMs: number | null = null;
  /** The last address that was dialled, also when that failed. */
  remoteAddress: string | null = null;

  readonly #deps: DialDeps;
  readonly #to: Destination;
  readonly #listener: DialListener;
  #phase: Phase = 'resolving';
  #addresses: readonly string[] = [];
  #next = 0;
  #phaseStartedMs: number;
  #connectUntilMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #socket: tls.TLSSocket | null = null;

  constructor(deps: DialDeps, to: Destination, listener: DialListener) {
    this.#deps = deps;
    this.#to = to;
    this.#listener = listener;
    this.#phaseStartedMs = deps.clock.monotonicMs();
  }

  start(): void {
    const { guard, resolver } = this.#deps;
    if (net.isIP(this.#to.hostname) !== 0 || (this.#to.isSpecial && !guard.admitsSpecialNames)) {
      queueMicrotask(() => this.#fail(REFUSED_ADDRESS));
      return;
    }
    void resolver.resolve(this.#to.hostname).then((resolution) => this.#onResolved(resolution));
  }

  cancel(): void {
    this.#phase = 'over';
    clearTimeout(this.#timer);
    this.#socket?.destroy();
    this.#socket = null;
  }

  #onResolved(resolution: Resolution): void {
    if (this.#phase === 'over') return;
    this.dnsMs = this.#endPhase();
    if (!resolution.ok) {
      this.#fail({ errorClass: 'dns', errorText: resolution.message });
      return;
    }
    const allowed = resolution.addresses.filter((address) => this.#allows(address));
    if (allowed.length === 0 || (resolution.needs === 'every' && allowed.length < resolution.addresses.length)) {
      this.#fail(REFUSED_ADDRESS);
      return;
    }
    this.#addresses = allowed;
    this.#connectUntilMs = this.#phaseStartedMs + CONNECT_BUDGET_MS;
    this.#connectToNext();
  }

  #connectToNext(): void {
    this.#phase = 'connecting';
    const address = this.#addresses[this.#next] ?? '';
    this.#next += 1;
    this.remoteAddress = address;
    const leftMs = Math.max(1, this.#connectUntilMs - this.#deps.clock.monotonicMs());
    const budgetMs = this.#hasMore() ? Math.min(leftMs, ADDRESS_BUDGET_MS) : leftMs;
    const reading: Reading = { onBytes: null };
    const options: tls.ConnectionOptions & net.NetConnectOpts = {
      host: address,
      port: this.#to.port,
      autoSelectFamily: false,
      noDelay: true,
      servername: this.#to.hostname,
      secureContext: this.#deps.trust,
      ALPNProtocols: ALPN,
      checkServerIdentity: checkIdentity,
      rejectUnauthorized: true,
      onread: readInto(reading),
    };
    const socket = tls.connect(options);
    this.#socket = socket;
    this.#timer = setTimeout(() => this.#onConnectError('ETIMEDOUT'), budgetMs);
    // Stays for good: a socket that was given up may still fail, and an error that nobody hears ends the process.
    socket.on('error', (error) => {
      if (this.#socket !== socket) return;
      if (this.#phase === 'securing') this.#fail(tlsFailed(error), codeOf(error));
      else this.#onConnectError(codeOf(error));
    });
    socket.once('close', () => {
      if (this.#socket === socket) this.#fail(tlsFailed('ECONNRESET'));
    });
    // Ahead of Node's own listener, which begins the handshake.
    socket.prependOnceListener('connect', () => this.#onConnected(socket));
    // Ahead of Node's own listener, which ends a connection whose certificate is refused, and forgets the certificate.
    socket.prependOnceListener('secure', () => {
      if (this.#phase !== 'over') this.#listener.onCertificates?.(socket);
    });
    socket.once('secureConnect', () => this.#onSecured(socket, reading));
  }

  #onConnectError(code: string): void {
    clearTimeout(this.#timer);
    this.#socket?.destroy();
    this.#socket = null;
    if (this.#phase === 'over') return;
    if (this.#hasMore() && this.#deps.clock.monotonicMs() < this.#connectUntilMs) this.#connectToNext();
    else this.#fail(connectFailed(code));
  }

  #hasMore(): boolean {
    return this.#next < Math.min(this.#addresses.length, MAX_ADDRESSES_TRIED);
  }

  #onConnected(socket: tls.TLSSocket): void {
    clearTimeout(this.#timer);
    if (this.#socket !== socket) return;
    this.#phase = 'securing';
    this.connectMs = this.#endPhase();
    // The address was checked before it was dialled; this one is what the kernel says we are talking to.
    if (!this.#allows(socket.remoteAddress ?? '')) {
      this.#fail(REFUSED_ADDRESS);
      return;
    }
    const leftMs = Math.max(1, this.#connectUntilMs - this.#phaseStartedMs);
    this.#timer = setTimeout(() => this.#fail(tlsFailed('ETIMEDOUT')), leftMs);
  }

  #onSecured(socket: tls.TLSSocket, reading: Reading): void {
    clearTimeout(this.#timer);
    if (this.#phase === 'over' || this.#socket !== socket) return;
    this.tlsMs = this.#endPhase();
    // From here on the socket belongs to the listener.
    this.#socket = null;
    this.#phase = 'over';
    this.#listener.onDialled({ socket, reading, remoteAddress: this.remoteAddress ?? '', addresses: this.#addresses });
  }

  #allows(address: string): boolean {
    return this.#deps.guard.allows(address, this.#to.isSpecial);
  }

  #fail(failure: AttemptFailure, code = ''): void {
    const wasOver = this.#phase === 'over';
    if (failure === REFUSED_ADDRESS) this.remoteAddress = null;
    this.cancel();
    if (!wasOver) this.#listener.onDialFailed(failure, code);
  }

  #endPhase(): number {
    const now = this.#deps.clock.monotonicMs();
    const tookMs = now - this.#phaseStartedMs;
    this.#phaseStartedMs = now;
    return tookMs;
  }
}
