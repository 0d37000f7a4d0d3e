// Changes the owner of a database. A program of the former owner may still have a file or folder in it open and replace
// one with a link at any moment. So each file is first opened, then checked and changed through its descriptor.
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';

interface Owner {
  uid: number;
  gid: number;
}

/** The folder itself comes last: if this is interrupted, the next start sees the former owner and repeats it. */
export async function changeOwner(folder: string, from: number, to: Owner): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) await changeOwner(name, from, to);
    // Links are not followed, and the socket of a stopped server is removed before the next start.
    else if (entry.isFile()) await changeOwnerOf(name, from, to);
  }
  await changeOwnerOf(folder, from, to);
}

export async function changeOwnerOf(name: string, from: number, to: Owner): Promise<void> {
  const file = await open(name, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if ((await file.stat()).uid === from) await file.chown(to.uid, to.gid);
  } finally {
    await file.close();
  }
}
