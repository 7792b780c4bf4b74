import { contactParts, contactVariable } from "./contact.ts";
import { type Environment, MissingSecret, readSecrets } from "./secrets.ts";
import type { Upstream } from "./upstream.ts";

/** Names of the variables that an upstream needs and that are not set or not readable here. */
export async function variablesMissing(upstream: Upstream, env: Environment): Promise<string[]> {
  const missing: string[] = [];
  for (const name of upstream.credentials) {
    try {
      await readSecrets([name], env);
    } catch (error) {
      if (!(error instanceof MissingSecret)) throw error;
      missing.push(error.variable);
    }
  }
  if (!contactParts(upstream, env)) missing.push(contactVariable);
  return missing;
}
