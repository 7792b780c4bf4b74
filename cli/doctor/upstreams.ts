import { upstreams } from "../../worker/sandbox/upstreams.ts";
import { variablesMissing } from "../../worker/transport/missing.ts";
import { isConfigured } from "../../worker/transport/secrets.ts";
import type { Upstream } from "../../worker/transport/upstream.ts";
import { ok, warn } from "./check.ts";
import type { Check } from "./check.ts";

function withoutCredential({ optional }: Upstream, env: NodeJS.ProcessEnv): string {
  if (!optional) return "It needs no credential.";
  return isConfigured(optional.credential, env)
    ? `It needs no credential; ${optional.credential} raises its limits.`
    : `It needs no credential; ${optional.credential} would raise its limits.`;
}

/** Checks that upstreams have their credentials and the operator's contact; reports names of variables, never values. */
export async function checkUpstreams(
  env: NodeJS.ProcessEnv,
  all: readonly Upstream[] = upstreams,
): Promise<Check[]> {
  return Promise.all(
    all.map(async (upstream) => {
      const name = `upstream ${upstream.name}`;
      const missing = await variablesMissing(upstream, env);
      if (missing.length > 0)
        return warn(
          name,
          `Not set or not readable here: ${missing.join(", ")}. Workers without these serve only test keys.`,
        );
      return ok(
        name,
        upstream.credentials.length === 0
          ? withoutCredential(upstream, env)
          : `${upstream.credentials.join(", ")} present.`,
      );
    }),
  );
}
