import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** All that one Chromium writes. */
export interface ProfileFolder {
  path: string;
  remove: () => Promise<void>;
}

/** Followed by the id of the process that owns the profile. */
const prefix = "gateway-chromium-";
const removal = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 };

/** Nobody else may put anything into it, or in its place. */
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
 * A new folder for one Chromium, below `parent` or the system's temporary folder. What processes left that
 * ended without a chance to clean up is removed, but only below a folder that is ours alone: where others may
 * write too, a name could turn into a link to files that are not ours while it is being removed.
 */
export async function makeProfileFolder(parent: string = tmpdir()): Promise<ProfileFolder> {
  const ours = (await isPrivate(parent)) ? parent : await privateBelow(parent);
  if (ours === undefined) {
    const path = await mkdtemp(join(parent, prefix));
    return { path, remove: () => rm(path, removal) };
  }
  await removeLeftovers(ours);
  const path = await mkdtemp(join(ours, `${prefix}${process.pid}-`));
  return { path, remove: () => rm(path, removal) };
}

/** The folder that all our processes share; undefined where somebody else was there first. */
async function privateBelow(parent: string): Promise<string | undefined> {
  const folder = join(parent, `gateway-profiles-${process.getuid?.() ?? "user"}`);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return (await isPrivate(folder)) ? folder : undefined;
}

async function removeLeftovers(ours: string): Promise<void> {
  for (const name of await readdir(ours)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    await rm(join(ours, name), removal).catch(() => undefined);
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
