import { readFileSync } from "node:fs";
import type * as z from "zod";

/** How every process and command reads its settings, and ends where it cannot use one. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that cannot be used. The message has a line for each, which names it and shows no secret. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/** The value of `NAME`, or else the content of the file that `NAME_FILE` names. Throws SettingsError. */
export function settingOf(env: Environment, name: string): string | undefined {
  if (env[name]) return env[name];
  const file = env[`${name}_FILE`];
  if (!file) return undefined;
  let content: string;
  try {
    content = readFileSync(file, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(`${name}_FILE: the file ${file} cannot be read (${code})`);
  }
  if (content === "") throw new SettingsError(`${name}_FILE: the file ${file} is empty`);
  return content;
}

/**
 * The environment of a process by its schema. Empty variables count as absent: compose passes those that its .env
 * lacks on as empty ones. Each of `secrets` may come from a file. Throws SettingsError, which has all problems.
 */
export function readSettings<S extends z.ZodType>(
  schema: S,
  env: Environment,
  secrets: readonly string[] = [],
): z.output<S> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  const problems: string[] = [];
  const unread = new Set<PropertyKey>();
  for (const name of secrets) {
    try {
      const value = settingOf(env, name);
      if (value !== undefined) given[name] = value;
    } catch (error) {
      problems.push((error as SettingsError).message);
      unread.add(name);
    }
  }
  const parsed = schema.safeParse(given);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = String(path[0]);
    if (unread.has(name)) continue;
    if (given[name] === undefined) problems.push(`${name}: is not set`);
    else if (secrets.includes(name)) problems.push(`${name}: ${message}`);
    else problems.push(`${name}: ${message} (it is ${JSON.stringify(given[name])})`);
  }
  if (!parsed.success || problems.length > 0) throw new SettingsError(problems.join("\n"));
  return parsed.data;
}

/** Why a server cannot listen, by the settings that name its address. */
export function listenProblem(
  error: unknown,
  [hostName, host]: readonly [name: string, value: string],
  [portName, port]: readonly [name: string, value: number],
): SettingsError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return new SettingsError(`${portName}: port ${port} is in use on ${host}`);
  if (code === "EACCES")
    return new SettingsError(`${portName}: this user may not listen on port ${port}`);
  return new SettingsError(`${hostName}: nothing can listen on ${host} (${code ?? message})`);
}

/** Ends the process without a stack where `read` throws SettingsError. */
export function settingsOrExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return exitFor(error);
  }
}

/** Ends the process for a SettingsError; throws every other error. */
export function exitFor(error: unknown): never {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
