// PostgreSQL refuses to run as root. When we are root it runs as `nobody`, which has an entry in /etc/passwd on every
// Linux (initdb wants one) and owns nothing else worth protecting.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, EmbeddedPostgresError } from './failure.ts';

interface Launch {
  file: string;
  args: string[];
  options: { uid?: number; gid?: number };
}

export interface ServerOwner {
  uid: number;
  gid: number;
  launch(file: string, args: string[]): Launch;
}

export interface Outcome {
  ok: boolean;
  stdout: string;
  stderr: string;
  error?: unknown;
}

// PostgreSQL takes dozens of settings from the environment; ours must not leak into it, nor a foreign language into
// the messages that we read.
export const SERVER_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const STEP_TIMEOUT_MS = 120_000;

/** Chooses the user that can reach both the folder and the program, and proves it by running the program. */
export async function chooseServerOwner(folder: string, postgres: string): Promise<ServerOwner> {
  if (process.getuid === undefined || process.getgid === undefined) {
    throw new EmbeddedPostgresError('The embedded PostgreSQL runs on Linux only; set DATABASE_URL instead.');
  }
  const uid = process.getuid();
  if (uid !== 0) {
    const owner: ServerOwner = { uid, gid: process.getgid(), launch: (file, args) => ({ file, args, options: {} }) };
    const outcome = await tryToReach(owner, folder, postgres);
    if (outcome.ok) return owner;
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL cannot run on this machine (${explain(outcome)}); it needs a Linux with glibc, ` +
        'or set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
  return chooseForRoot(folder, postgres);
}

async function chooseForRoot(folder: string, postgres: string): Promise<ServerOwner> {
  const nobody = await findUser('nobody');
  if (nobody === undefined) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root and this machine has no user "nobody"; start Waybill as an ordinary user.',
    );
  }
  const { uid, gid } = nobody;
  const plain: ServerOwner = { uid, gid, launch: (file, args) => ({ file, args, options: { uid, gid } }) };
  if ((await tryToReach(plain, folder, postgres)).ok) return plain;

  // Some parent is closed to others, such as /root or a folder of mkdtemp. The capability opens the way through it;
  // containers grant it to root by default, unlike the narrower dac_read_search.
  const capable: ServerOwner = {
    uid,
    gid,
    launch: (file, args) => ({
      file: 'setpriv',
      args: [
        `--reuid=${uid}`,
        `--regid=${gid}`,
        '--clear-groups',
        '--inh-caps=+dac_override',
        '--ambient-caps=+dac_override',
        '--',
        file,
        ...args,
      ],
      options: {},
    }),
  };
  const outcome = await tryToReach(capable, folder, postgres);
  if (outcome.ok) return capable;
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and the user "nobody" cannot reach ${folder} or ${postgres} ` +
      `(${explain(outcome)}); start Waybill as an ordinary user, or set WAYBILL_DATA_DIR to a folder whose ` +
      'parents are open to others.',
  );
}

function tryToReach(owner: ServerOwner, folder: string, postgres: string): Promise<Outcome> {
  return runAs(owner, '/bin/sh', ['-c', 'cd -- "$1" && exec "$2" --version', 'sh', folder, postgres]);
}

export function runAs(owner: ServerOwner, file: string, args: string[]): Promise<Outcome> {
  const launch = owner.launch(file, args);
  const options = { ...launch.options, cwd: '/', env: SERVER_ENVIRONMENT, timeout: STEP_TIMEOUT_MS };
  return new Promise((resolve) => {
    try {
      execFile(launch.file, launch.args, options, (error, stdout, stderr) => {
        resolve(error === null ? { ok: true, stdout, stderr } : { ok: false, stdout, stderr, error });
      });
    } catch (error) {
      // Node throws what the kernel says to a change of user; all else comes to the callback.
      resolve({ ok: false, stdout: '', stderr: '', error });
    }
  });
}

/** The last line that a program said, which is where PostgreSQL's programs put the reason. */
export function explain(outcome: Outcome): string {
  const said = outcome.stderr.trim().split('\n').at(-1)?.trim() ?? '';
  return said === '' ? describe(outcome.error) : said;
}

interface User {
  name: string;
  uid: number;
  gid: number;
}

async function findUser(name: string): Promise<User | undefined> {
  return (await listUsers()).find((user) => user.name === name);
}

/** For messages: "nobody (65534)", or the bare number of a user without a name. */
export async function nameUser(uid: number): Promise<string> {
  const user = (await listUsers()).find((candidate) => candidate.uid === uid);
  return user === undefined ? String(uid) : `${user.name} (${uid})`;
}

async function listUsers(): Promise<User[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    if (name === undefined || !/^\d+$/.test(uid ?? '') || !/^\d+$/.test(gid ?? '')) return [];
    return [{ name, uid: Number(uid), gid: Number(gid) }];
  });
}
