// What the demo keeps between starts, in one file in the data folder that only its owner may read. It stores plaintext
// credentials on purpose: they are only the demo's, and every start shows them again.
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { restrictToOwner, giveToFolderOwner } from '../runtime/data-folder.ts';

const login = z.object({ email: z.string(), password: z.string() });

const demoMemory = z.object({
  authority: z.object({ certificatePem: z.string(), privateKeyPem: z.string() }).optional(),
  receiverPort: z.number().optional(),
  apiKey: z.string().optional(),
  basic: z.object({ username: z.string(), password: z.string() }).optional(),
  logins: z.object({ restaurant: login.optional(), operator: login.optional() }).default({}),
});

export type DemoMemory = z.infer<typeof demoMemory>;

export interface DemoFile {
  readonly memory: DemoMemory;
  /** Returns when the change is on disk. */
  remember(change: Partial<DemoMemory>): Promise<void>;
}

/** Unreadable content is ignored, because the demo can recreate all of it. */
export async function openDemoFile(dataDir: string): Promise<DemoFile> {
  const file = path.join(dataDir, 'demo.json');
  let memory = await readMemory(file);
  return {
    get memory() {
      return memory;
    },
    async remember(change) {
      memory = { ...memory, ...change };
      // Written to a draft and renamed, so that a crash leaves the old file or the new one, never a partial one.
      const draft = `${file}.new`;
      // A draft left by an earlier crash could have any owner and mode.
      await rm(draft, { force: true });
      const written = await open(draft, 'wx', 0o600);
      try {
        await giveToFolderOwner(written, dataDir);
        await written.writeFile(`${JSON.stringify(memory, null, 2)}\n`);
        await written.sync();
      } finally {
        await written.close();
      }
      await rename(draft, file);
    },
  };
}

async function readMemory(file: string): Promise<DemoMemory> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
    await restrictToOwner(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { logins: {} };
    throw error;
  }
  const reading = demoMemory.safeParse(parse(text));
  return reading.success ? reading.data : { logins: {} };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
