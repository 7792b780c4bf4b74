import { readFile } from "node:fs/promises";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A credential that is not set, or has an unreadable file. */
export class MissingSecret extends Error {
  readonly variable: string;

  constructor(variable: string, cause?: unknown) {
    super(`${variable} is not set`, { cause });
    this.name = "MissingSecret";
    this.variable = variable;
  }
}

/**
 * Reads secrets from the environment: `NAME`, or the file that `NAME_FILE` names.
 * Files are read every time, so that a rotated secret takes effect at once. Throws MissingSecret.
 */
export async function readSecrets(
  names: readonly string[],
  env: Environment,
): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {};
  for (const name of names) secrets[name] = await readSecret(name, env);
  return secrets;
}

/** Whether a secret is configured, readable or not. */
export function isConfigured(name: string, env: Environment): boolean {
  return Boolean(env[name]?.trim() || env[`${name}_FILE`]);
}

async function readSecret(name: string, env: Environment): Promise<string> {
  const value = env[name]?.trim();
  if (value) return value;
  const file = env[`${name}_FILE`];
  if (!file) throw new MissingSecret(name);
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (error) {
    throw new MissingSecret(`${name}_FILE`, error);
  }
  const secret = content.trim();
  if (!secret) throw new MissingSecret(`${name}_FILE`);
  return secret;
}
