// Posts over keep-alive connections with minimal CPU use, because the generator shares the machine with the service.
import { connect, type Socket } from 'node:net';

export interface PosterOptions {
  /** Origin of the server. */
  address: string;
  path: string;
  headers: Record<string, string>;
  maxConnections: number;
}

export interface Poster {
  post(body: string): Promise<PostAnswer>;
  close(): void;
}

export interface PostAnswer {
  statusCode: number;
  text: string;
}

interface Posted {
  bytes: string;
  resolve(answer: PostAnswer): void;
  reject(error: Error): void;
}

export function createPoster({ address, path, headers, maxConnections }: PosterOptions): Poster {
  const { host, hostname, port } = new URL(address);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${path} HTTP/1.1\r\n${lines.join('')}content-length: `;
  const idle: Connection[] = [];
  const waiting: Posted[] = [];
  let openCount = 0;
  const onIdle = (connection: Connection): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else connection.send(next);
  };
  const find = (): Connection | undefined => {
    const kept = idle.pop();
    if (kept !== undefined || openCount >= maxConnections) return kept;
    openCount += 1;
    return new Connection(connect({ host: hostname, port: Number(port), noDelay: true }), onIdle);
  };
  return {
    post(body) {
      return new Promise((resolve, reject) => {
        const posted = { bytes: `${head}${Buffer.byteLength(body)}\r\n\r\n${body}`, resolve, reject };
        const connection = find();
        if (connection === undefined) waiting.push(posted);
        else connection.send(posted);
      });
    },
    close() {
      for (const connection of idle) connection.end();
    },
  };
}

/** One request at a time. A broken connection rejects its pending request, which fails the measurement. */
class Connection {
  readonly #socket: Socket;
  #posted: Posted | undefined;
  #received = '';

  constructor(socket: Socket, onIdle: (connection: Connection) => void) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => {
      this.#received += part;
      const answer = readAnswer(this.#received);
      if (answer === undefined) return;
      const posted = this.#posted;
      this.#received = '';
      this.#posted = undefined;
      onIdle(this);
      posted?.resolve(answer);
    });
    socket.on('error', (error) => this.#posted?.reject(error));
    socket.on('close', () => this.#posted?.reject(new Error('the server closed the connection')));
  }

  send(posted: Posted): void {
    this.#posted = posted;
    this.#socket.write(posted.bytes);
  }

  end(): void {
    this.#socket.end();
  }
}

/** Undefined until the response is complete. Every response of the service has a content-length. */
function readAnswer(received: string): PostAnswer | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1];
  if (length === undefined) throw new Error('the response has no content length');
  const text = received.slice(headEnd + 4);
  if (text.length < Number(length)) return undefined;
  return { statusCode: Number(received.slice(9, 12)), text: Buffer.from(text, 'latin1').toString() };
}
