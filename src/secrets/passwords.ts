// People's passwords: argon2id, stored as a PHC string so that the cost can rise without a migration.
import { argon2, timingSafeEqual, type Argon2Parameters } from 'node:crypto';
import { promisify } from 'node:util';

const argon2Async = promisify(argon2);

// OWASP's first recommendation: 19 MiB, two passes, one lane; about 30 checks a second on two cores.
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const SALT_BYTES = 16;

// Each check takes 19 MiB and a core: with more than two concurrent checks, sign-ins would starve everything else.
const MAX_AT_ONCE = 2;
let running = 0;
const waiting: (() => void)[] = [];

export async function hashPassword(password: string, randomBytes: (count: number) => Buffer): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await compute({ ...COST, message: password, nonce: salt });
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toPhc(salt)}$${toPhc(tag)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const match = PHC.exec(hash);
  if (match === null) throw new Error('this is not an argon2id hash');
  const [, memory, passes, parallelism, salt = '', tag = ''] = match;
  const expected = Buffer.from(tag, 'base64');
  const actual = await compute({
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
    message: password,
    nonce: Buffer.from(salt, 'base64'),
  });
  return timingSafeEqual(actual, expected);
}

async function compute(parameters: Argon2Parameters): Promise<Buffer> {
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await argon2Async('argon2id', parameters);
  } finally {
    // The slot passes directly to the next waiter, so that a newcomer cannot take it first.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

function toPhc(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
