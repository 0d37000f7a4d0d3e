// A small UDP name server, so that tests get real responses, delays and timeouts instead of a stubbed resolver.
import { createSocket, type RemoteInfo } from 'node:dgram';

export interface Question {
  name: string;
  type: 'A' | 'AAAA' | 'other';
}

export interface NameServerRecord {
  type: 'A' | 'AAAA' | 'CNAME';
  data: string;
  ttl?: number;
  /** The record's owner name; by default the queried name. */
  name?: string;
}

export type Reply =
  | 'silence'
  | { rcode?: 'NOERROR' | 'SERVFAIL' | 'NXDOMAIN' | 'REFUSED'; records?: NameServerRecord[]; delayMs?: number };

export interface NameServer {
  /** `address:port`, for a resolver's list of servers. */
  address: string;
  questions: Question[];
  close(): Promise<void>;
}

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;
const RCODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

export async function startNameServer(answer: (question: Question) => Reply): Promise<NameServer> {
  const socket = createSocket('udp4');
  const questions: Question[] = [];
  const timers = new Set<NodeJS.Timeout>();

  socket.on('message', (query, from) => {
    const question = readQuestion(query);
    questions.push(question);
    const reply = answer(question);
    if (reply === 'silence') return;
    const packet = buildReply(query, question, reply);
    const timer = setTimeout(send, reply.delayMs ?? 0, packet, from);
    timers.add(timer);
  });
  function send(packet: Buffer, from: RemoteInfo): void {
    socket.send(packet, from.port, from.address);
  }
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));

  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () =>
      new Promise((resolve) => {
        for (const timer of timers) clearTimeout(timer);
        socket.close(() => resolve());
      }),
  };
}

/** Answers A questions from a table and everything else with an empty answer. */
export function answerFrom(
  table: Readonly<Record<string, readonly NameServerRecord[]>>,
): (question: Question) => Reply {
  return ({ name, type }) => {
    const records = table[name];
    if (records === undefined) return { rcode: 'NXDOMAIN' };
    return { records: records.filter((record) => record.type === type || record.type === 'CNAME') };
  };
}

function readQuestion(query: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const code = query.readUInt16BE(at + 1);
  const type = code === TYPES.A ? 'A' : code === TYPES.AAAA ? 'AAAA' : 'other';
  // Resolvers may randomize the case of a query to detect forged responses; names are case-insensitive.
  return { name: labels.join('.').toLowerCase(), type };
}

function buildReply(query: Buffer, question: Question, reply: Exclude<Reply, 'silence'>): Buffer {
  const { rcode = 'NOERROR', records = [] } = reply;
  const questionEnd = 12 + encodeName(question.name).length + 4;
  const header = Buffer.from(query.subarray(0, questionEnd));
  header.writeUInt16BE(0x8180 | RCODES[rcode], 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  return Buffer.concat([header, ...records.map((record) => encodeRecord(question.name, record))]);
}

function encodeRecord(asked: string, { type, data, ttl = 60, name = asked }: NameServerRecord): Buffer {
  const value = encodeData(type, data);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(TYPES[type], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(value.length, 8);
  return Buffer.concat([encodeName(name), fixed, value]);
}

function encodeData(type: NameServerRecord['type'], data: string): Buffer {
  if (type === 'A') return Buffer.from(data.split('.').map(Number));
  return type === 'CNAME' ? encodeName(data) : encodeIpv6(data);
}

function encodeIpv6(text: string): Buffer {
  const [left = '', right] = text.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  const bytes = Buffer.alloc(16);
  for (const [index, group] of groups.entries()) bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  return bytes;
}

function encodeName(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.');
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.alloc(1),
  ]);
}
