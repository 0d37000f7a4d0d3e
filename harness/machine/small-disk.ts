// A small file system that can be filled, for a database. Only root can mount one.
import { execFileSync } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';

export interface SmallDisk {
  folder: string;
  /** Does nothing the second time. */
  unmount(): void;
}

const PIECE = Buffer.alloc(1 << 20, 1);

export interface SmallDiskOptions {
  /** As in the mount option of tmpfs. */
  size: string;
  /** By default, root. */
  owner?: { uid: number; gid: number };
}

/** Returns the reason as a string if the disk cannot be mounted. */
export async function mountSmallDisk(
  folder: string,
  { size, owner = { uid: 0, gid: 0 } }: SmallDiskOptions,
): Promise<SmallDisk | string> {
  if (process.getuid?.() !== 0) return 'only root may mount a small disk';
  await mkdir(folder, { recursive: true });
  try {
    const settings = `size=${size},mode=700,uid=${owner.uid},gid=${owner.gid}`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', settings, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return 'mounting a tmpfs is not allowed here';
  }
  let isMounted = true;
  const unmount = (): void => {
    if (!isMounted) return;
    isMounted = false;
    process.removeListener('exit', unmount);
    execFileSync('umount', ['-l', folder]);
  };
  // Also unmounts when the run is interrupted.
  process.once('exit', unmount);
  return { folder, unmount };
}

/** Writes to the file until no space is left. */
export async function fillDisk(file: string): Promise<void> {
  const handle = await open(file, 'a');
  try {
    for (;;) await handle.write(PIECE);
  } catch {
    // The disk is full.
  } finally {
    await handle.close();
  }
}
