// Opens one TLS connection to an endpoint: resolve, check every address, connect, check the address actually reached,
// handshake, check the certificate. The HTTP client is given a finished socket and dials nothing itself.
//
// The phases of a dial:
//
// - `resolving`: waits for the addresses of the name. Moves to `connecting` with the first allowed address.
// - `connecting`: waits for a TCP connection to one address, then moves to `securing`. On failure it stays in this
//   phase and tries the next address, while there is one and time for it.
// - `securing`: the TLS handshake. A failure here is final, because the receiver was reached.
// - `over`: reported or canceled; later events of its sockets are ignored. Every phase may end here.
import * as net from 'node:net';
import * as tls from 'node:tls';
import type { Clock } from '../../platform.ts';
import type { AddressGuard } from './address-guard.ts';
import { codeOf, connectFailed, REFUSED_ADDRESS, tlsFailed, type AttemptFailure } from './attempt-failure.ts';
import type { NameResolver, Resolution } from './resolve.ts';
import { checkIdentity } from './trust.ts';

/** For all addresses together, including the handshake; well under the attempt's 5 s, so that a request still fits. */
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

export interface Dialed {
  socket: tls.TLSSocket;
  /** Receives the bytes that are read; the socket's `data` listeners do not. */
  reading: Reading;
  remoteAddress: string;
  addresses: readonly string[];
}

export interface Reading {
  /** The buffer is reused: copy what must be kept. Bytes that arrive before this is set are dropped. */
  onBytes: ((bytes: Buffer) => void) | null;
}

/**
 * All connections read into the same buffer, one after another. Streams would allocate a buffer for each answer, which
 * costs more than reading it.
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
  onDialed(dialed: Dialed): void;
  /** `code` is Node's or OpenSSL's error code, empty if there is none. */
  onDialFailed(failure: AttemptFailure, code: string): void;
  /** Called before the certificates are verified, so that rejected ones can be inspected too. */
  onCertificates?(socket: tls.TLSSocket): void;
}

type Phase = 'resolving' | 'connecting' | 'securing' | 'over';

/** One dial, from a name to a secured socket. Reports exactly once, unless it is canceled first. */
export class Dial implements DialTimes {
  dnsMs: number | null = null;
  connectMs: number | null = null;
  tlsMs: number | null = null;
  /** The last address that was dialed, even if that failed. */
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
    // Never removed: an abandoned socket may still fail, and an unhandled error would end the process.
    socket.on('error', (error) => {
      if (this.#socket !== socket) return;
      if (this.#phase === 'securing') this.#fail(tlsFailed(error), codeOf(error));
      else this.#onConnectError(codeOf(error));
    });
    socket.once('close', () => {
      if (this.#socket === socket) this.#fail(tlsFailed('ECONNRESET'));
    });
    // Runs before Node's own listener, which starts the handshake.
    socket.prependOnceListener('connect', () => this.#onConnected(socket));
    // Runs before Node's own listener, which closes a connection with a rejected certificate and discards that.
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
    // The address was checked before dialing; this checks the one that the kernel reports as connected.
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
    this.#listener.onDialed({ socket, reading, remoteAddress: this.remoteAddress ?? '', addresses: this.#addresses });
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
