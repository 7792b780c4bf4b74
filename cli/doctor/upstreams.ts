import { MissingSecret, readSecrets } from "../../worker/secrets.ts";
import type { Upstream } from "../../worker/upstream.ts";
import { dataforseo } from "../../worker/upstreams/dataforseo.ts";
import { hackernews } from "../../worker/upstreams/hackernews.ts";
import { ticketmaster } from "../../worker/upstreams/ticketmaster.ts";
import { reddit } from "../../worker/upstreams/reddit.ts";
import { freshLinkedin } from "../../worker/upstreams/fresh-linkedin.ts";
import { tikhub } from "../../worker/upstreams/tikhub.ts";
import { weibo } from "../../worker/upstreams/weibo.ts";
import { twitter283 } from "../../worker/upstreams/twitter283.ts";
import { x, xApp } from "../../worker/upstreams/x.ts";
import { youtube, youtubeCharts } from "../../worker/upstreams/youtube.ts";
import { ok, warn } from "./check.ts";
import type { Check } from "./check.ts";

/** All of them, each once. */
export const upstreams: readonly Upstream[] = [
  dataforseo("", ""),
  hackernews,
  ticketmaster,
  reddit,
  tikhub,
  freshLinkedin,
  twitter283,
  weibo,
  x,
  xApp,
  youtube,
  youtubeCharts,
];

async function missingOf(upstream: Upstream, env: NodeJS.ProcessEnv): Promise<string[]> {
  const missing: string[] = [];
  for (const name of upstream.credentials) {
    try {
      await readSecrets([name], env);
    } catch (error) {
      if (!(error instanceof MissingSecret)) throw error;
      missing.push(error.variable);
    }
  }
  return missing;
}

/** Which upstreams have their credentials; tells names of variables, never values. */
export async function checkUpstreams(
  env: NodeJS.ProcessEnv,
  all: readonly Upstream[] = upstreams,
): Promise<Check[]> {
  return Promise.all(
    all.map(async (upstream) => {
      const name = `upstream ${upstream.name}`;
      const missing = await missingOf(upstream, env);
      if (missing.length > 0)
        return warn(
          name,
          `Not set or not readable here: ${missing.join(", ")}; without it in the workers' environment only test keys are served.`,
        );
      return ok(
        name,
        upstream.credentials.length === 0
          ? "It needs no credential."
          : `${upstream.credentials.join(", ")} present.`,
      );
    }),
  );
}
