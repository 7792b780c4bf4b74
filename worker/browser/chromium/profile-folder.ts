import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folder of everything that one Chromium writes. */
export interface ProfileFolder {
  path: string;
  remove: () => Promise<void>;
}

/** Comes before the pid of the process that owns the profile. */
const prefix = "gateway-chromium-";
const removal = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 };

/** Whether no other user can put anything into the folder or in its place. */
async function isPrivate(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return (
    found !== undefined &&
    found.isDirectory() &&
    found.uid === process.getuid?.() &&
    (found.mode & 0o077) === 0
  );
}

/**
 * Makes a new folder for one Chromium, below `parent` or the system's temporary folder. It also removes the folders
 * of processes that ended without cleaning up, but only below a folder that nobody else can write to: elsewhere a
 * name could turn into a link to another user's files while it is being removed.
 */
export async function makeProfileFolder(parent: string = tmpdir()): Promise<ProfileFolder> {
  const own = (await isPrivate(parent)) ? parent : await privateBelow(parent);
  if (own === undefined) {
    const path = await mkdtemp(join(parent, prefix));
    return { path, remove: () => rm(path, removal) };
  }
  await removeLeftovers(own);
  const path = await mkdtemp(join(own, `${prefix}${process.pid}-`));
  return { path, remove: () => rm(path, removal) };
}

/** The folder that all of this user's workers share; undefined where another user has made it first. */
async function privateBelow(parent: string): Promise<string | undefined> {
  const folder = join(parent, `gateway-profiles-${process.getuid?.() ?? "user"}`);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return (await isPrivate(folder)) ? folder : undefined;
}

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    await rm(join(folder, name), removal).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
