// A real SMTP server on this machine that keeps received mails and behaves as a test configures it.
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  to: string[];
  from: string;
  /** Headers and body exactly as received. */
  raw: string;
  headers: Map<string, string>;
  isEncrypted: boolean;
}

export interface MailServerOptions {
  port?: number;
  /** Certificate and key in PEM; if given, STARTTLS is offered. */
  tls?: { cert: string; key: string };
  /** The answer to RCPT TO, if the recipient is refused. */
  refuse?: (address: string) => { code: number; text: string } | undefined;
}

export interface MailServer {
  url: string;
  port: number;
  mails: ReceivedMail[];
  close(): Promise<void>;
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const { tls, refuse } = options;
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 100,
    disabledCommands: tls === undefined ? ['STARTTLS', 'AUTH'] : ['AUTH'],
    ...tls,
    onRcptTo({ address }, _session, done) {
      const refusal = refuse?.(address);
      done(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const raw = Buffer.concat(chunks).toString();
        const mail: ReceivedMail = {
          to: rcptTo.map(({ address }) => address),
          from: mailFrom === false ? '' : mailFrom.address,
          raw,
          headers: readHeaders(raw),
          isEncrypted: session.secure,
        };
        mails.push(mail);
        done();
      });
    },
  } satisfies SMTPServerOptions);
  server.on('error', () => undefined);
  const port = await new Promise<number>((resolve) => {
    const listening = server.listen(options.port ?? 0, '127.0.0.1', () => {
      const address = listening.address();
      resolve(address === null || typeof address === 'string' ? 0 : address.port);
    });
  });
  return {
    url: `smtp://localhost:${port}`,
    port,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Keyed by lowercase name; a folded header becomes one line. */
function readHeaders(raw: string): Map<string, string> {
  const [head = ''] = raw.split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^[^:]*:\s*/, '')]));
}
