// Which user PostgreSQL runs as. For an ordinary user there is nothing to choose. PostgreSQL refuses to run as root, so
// root starts it as, in this order:
//   1. the owner of the data folder, if that is not root;
//   2. the owner of the existing database;
//   3. the user `waybill`, if there is one;
//   4. a user id that no account has.
// Never as `nobody`: other programs run as nobody too, and could read the database and trace the server.
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { describe, EmbeddedPostgresError } from './failure.ts';

interface Launch {
  file: string;
  args: string[];
  options: { uid?: number; gid?: number };
}

export interface ServerOwner {
  uid: number;
  gid: number;
  /** Undefined for a user id without an account. */
  name: string | undefined;
  launch(file: string, args: string[]): Launch;
}

export interface Outcome {
  ok: boolean;
  stdout: string;
  stderr: string;
  error?: unknown;
}

// PostgreSQL reads dozens of settings from the environment, so ours must not reach it. The locale keeps the messages
// that we parse in English.
export const SERVER_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const STEP_TIMEOUT_MS = 120_000;
const ACCOUNT = 'waybill';
const NOBODY_UID = 65_534;
// systemd lists 60578 to 61183 as used by nothing, and rootless containers map no ids beyond 65535.
const FIRST_FREE_UID = 61_032;
const LAST_FREE_UID = 61_183;
// The Linux Standard Base requires both accounts, and programs hardly ever run as them.
const INITDB_ACCOUNTS = ['bin', 'daemon'] as const;

/** Also checks that this user can run PostgreSQL on this machine. */
export async function chooseServerOwner(dataDir: string, postgres: string): Promise<ServerOwner> {
  const owner = await findServerOwner(dataDir);
  const outcome = await runInFolder({ owner, cwd: dataDir }, postgres, ['--version']);
  if (outcome.ok) return owner;
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL cannot run as user ${await nameUser(owner.uid)} on this machine (${explain(outcome)}). ` +
      'It needs Linux with glibc and, when started as root, the right to change to another user. ' +
      'Otherwise set DATABASE_URL to your own PostgreSQL server.',
  );
}

export async function findServerOwner(dataDir: string): Promise<ServerOwner> {
  if (process.getuid === undefined || process.getgid === undefined) {
    throw new EmbeddedPostgresError(
      'The embedded PostgreSQL only runs on Linux. Set DATABASE_URL to your own PostgreSQL server.',
    );
  }
  if (process.getuid() === 0) return findOwnerForRoot(dataDir);
  const launch = (file: string, args: string[]): Launch => ({ file, args, options: {} });
  return { uid: process.getuid(), gid: process.getgid(), name: readOwnName(process.getuid()), launch };
}

// initdb and peer authentication both look up the user's name, and fail without one.
function readOwnName(uid: number): string {
  try {
    return userInfo().username;
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL needs a user with an account, but the user id ${uid} has none. Add one to /etc/passwd, start ` +
        'Waybill as another user, or set DATABASE_URL to your own PostgreSQL server.',
      { cause: error },
    );
  }
}

async function findOwnerForRoot(dataDir: string): Promise<ServerOwner> {
  const folder = await stat(dataDir);
  if (folder.uid === NOBODY_UID) {
    throw new EmbeddedPostgresError(
      `The data folder ${dataDir} belongs to user nobody, whose files other programs can read. ` +
        `To fix this, run: chown root "${dataDir}"`,
    );
  }
  if (folder.uid !== 0) return switchTo(folder.uid, folder.gid);
  const cluster = await stat(path.join(dataDir, 'postgres')).catch(() => undefined);
  if (cluster !== undefined && !isToBeReplaced(cluster.uid)) return switchTo(cluster.uid, cluster.gid);
  return createOwner();
}

/** Root cannot run the server, and earlier versions ran it as nobody. */
export function isToBeReplaced(uid: number): boolean {
  return uid === 0 || uid === NOBODY_UID;
}

async function createOwner(): Promise<ServerOwner> {
  const users = await listUsers();
  const account = users.find(({ name }) => name === ACCOUNT);
  if (account !== undefined) return switchTo(account.uid, account.gid);
  const taken = new Set(users.map(({ uid }) => uid));
  for (let uid = FIRST_FREE_UID; uid <= LAST_FREE_UID; uid += 1) {
    if (!taken.has(uid)) return switchTo(uid, uid);
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root. Add a user for it (useradd --system ${ACCOUNT}), or start Waybill as an ` +
      'ordinary user.',
  );
}

/** Lets root run one program as another user. */
export async function switchTo(uid: number, gid: number): Promise<ServerOwner> {
  const launch = (file: string, args: string[]): Launch => ({ file, args, options: { uid, gid } });
  const named = (await listUsers()).find((user) => user.uid === uid)?.name;
  const isFree = uid >= FIRST_FREE_UID && uid <= LAST_FREE_UID;
  if (named !== undefined || isFree) return { uid, gid, name: named, launch };
  // The account may come from a directory service.
  const { ok, stdout } = await runAs({ uid, gid, name: undefined, launch }, 'id', ['-un']);
  return { uid, gid, name: ok && stdout.trim() !== '' ? stdout.trim() : undefined, launch };
}

/** initdb, unlike the server, needs a user with an account. Its files are given to the owner afterwards. */
export async function chooseInitdbUser(owner: ServerOwner): Promise<ServerOwner> {
  if (owner.name !== undefined) return owner;
  const users = await listUsers();
  const [account] = INITDB_ACCOUNTS.flatMap((name) => users.filter((user) => user.name === name));
  if (account !== undefined) return switchTo(account.uid, account.gid);
  throw new EmbeddedPostgresError(
    `PostgreSQL needs a user with an account to set up its database. Add one (useradd --system ${ACCOUNT}), or ` +
      'start Waybill as an ordinary user.',
  );
}

export function runAs(owner: ServerOwner, file: string, args: string[]): Promise<Outcome> {
  return runInFolder({ owner, cwd: '/' }, file, args);
}

/** Enters `cwd` before changing the user, so the user needs no access to the folders above. */
export function runInFolder(
  { owner, cwd }: { owner: ServerOwner; cwd: string },
  file: string,
  args: string[],
): Promise<Outcome> {
  const launch = owner.launch(file, args);
  const options = { ...launch.options, cwd, env: SERVER_ENVIRONMENT, timeout: STEP_TIMEOUT_MS };
  return new Promise((resolve) => {
    try {
      execFile(launch.file, launch.args, options, (error, stdout, stderr) => {
        resolve(error === null ? { ok: true, stdout, stderr } : { ok: false, stdout, stderr, error });
      });
    } catch (error) {
      // Node throws if the kernel refuses to change the user; all other errors go to the callback.
      resolve({ ok: false, stdout: '', stderr: '', error });
    }
  });
}

/** The last line of the error output, which is where PostgreSQL's programs put the reason. */
export function explain(outcome: Outcome): string {
  const said = outcome.stderr.trim().split('\n').at(-1)?.trim() ?? '';
  return said === '' ? describe(outcome.error) : said;
}

interface User {
  name: string;
  uid: number;
  gid: number;
}

/** For messages: "daemon (1)", or the bare number of a user without a name. */
export async function nameUser(uid: number): Promise<string> {
  const user = (await listUsers()).find((candidate) => candidate.uid === uid);
  return user === undefined ? String(uid) : `${user.name} (${uid})`;
}

export async function findRootName(): Promise<string> {
  return (await listUsers()).find(({ uid }) => uid === 0)?.name ?? 'root';
}

async function listUsers(): Promise<User[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    if (name === undefined || !/^\d+$/.test(uid ?? '') || !/^\d+$/.test(gid ?? '')) return [];
    return [{ name, uid: Number(uid), gid: Number(gid) }];
  });
}
