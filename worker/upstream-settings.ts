import { SettingsError, settingOf } from "../runtime/settings.ts";
import { baseUrlOf } from "./transport/outgoing.ts";
import type { Environment } from "./transport/secrets.ts";
import type { Upstream } from "./transport/upstream.ts";

type Read = Pick<Upstream, "baseUrl" | "credentials" | "optional">;

/** Throws SettingsError where a base URL or the file of a credential of these upstreams cannot be used. */
export function checkUpstreamSettings(upstreams: readonly Read[], env: Environment): void {
  const problems = new Set<string>();
  for (const upstream of upstreams) {
    const { env: name } = upstream.baseUrl;
    // A default may be no URL, where the caller names the server. A value may hold a password.
    if (env[name] && (!env[name].trim() || !baseUrlOf(upstream, env)))
      problems.add(`${name}: an http(s) URL without user, query and fragment`);
    const { credential } = upstream.optional ?? {};
    for (const name of [...upstream.credentials, ...(credential ? [credential] : [])]) {
      try {
        settingOf(env, name);
      } catch (error) {
        problems.add((error as SettingsError).message);
      }
    }
  }
  if (problems.size > 0) throw new SettingsError([...problems].join("\n"));
}
