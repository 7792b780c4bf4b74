import { contactParts, contactVariable } from "../../worker/transport/contact.ts";
import { MissingSecret, readSecrets } from "../../worker/transport/secrets.ts";
import type { Upstream } from "../../worker/transport/upstream.ts";
import { dataforseo } from "../../worker/upstreams/dataforseo/client.ts";
import { depsDev } from "../../worker/upstreams/deps-dev/client.ts";
import { doh } from "../../worker/upstreams/doh/client.ts";
import { endOfLife } from "../../worker/upstreams/endoflife/client.ts";
import { ianaRdap, rdapServer } from "../../worker/upstreams/rdap/client.ts";
import { osv } from "../../worker/upstreams/osv/client.ts";
import {
  crates,
  hex,
  mavenCentral,
  npm,
  npmDownloads,
  nuget,
  packagist,
  pub,
  pypi,
  pypiStats,
  rubygems,
} from "../../worker/upstreams/registries/client.ts";
import { hackernews } from "../../worker/upstreams/hackernews/client.ts";
import { ticketmaster } from "../../worker/upstreams/ticketmaster/client.ts";
import { reddit } from "../../worker/upstreams/reddit/client.ts";
import { freshLinkedin } from "../../worker/upstreams/fresh-linkedin/client.ts";
import { tikhub } from "../../worker/upstreams/tikhub/client.ts";
import { weibo } from "../../worker/upstreams/weibo/client.ts";
import { twitter283 } from "../../worker/upstreams/twitter283/client.ts";
import { x, xApp } from "../../worker/upstreams/x/client.ts";
import { youtube, youtubeCharts } from "../../worker/upstreams/youtube/client.ts";
import { crossref } from "../../worker/upstreams/crossref/client.ts";
import { datacite } from "../../worker/upstreams/datacite/client.ts";
import { europePmc } from "../../worker/upstreams/europe-pmc/client.ts";
import { frankfurter } from "../../worker/upstreams/frankfurter/client.ts";
import { gleif } from "../../worker/upstreams/gleif/client.ts";
import { sec, secData } from "../../worker/upstreams/sec/client.ts";
import { worldBank } from "../../worker/upstreams/world-bank/client.ts";
import { nominatim } from "../../worker/upstreams/nominatim/client.ts";
import { photon } from "../../worker/upstreams/photon/client.ts";
import { nws } from "../../worker/upstreams/nws/client.ts";
import { usgs } from "../../worker/upstreams/usgs/client.ts";
import { orcid } from "../../worker/upstreams/orcid/client.ts";
import { ror } from "../../worker/upstreams/ror/client.ts";
import { semanticScholar } from "../../worker/upstreams/semantic-scholar/client.ts";
import { unpaywall } from "../../worker/upstreams/unpaywall/client.ts";
import { wikidata, wikimedia, wikipedia } from "../../worker/upstreams/wikimedia/client.ts";
import { ok, warn } from "./check.ts";
import type { Check } from "./check.ts";

/** Every upstream, once. */
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
  npm,
  npmDownloads,
  pypi,
  pypiStats,
  crates,
  rubygems,
  packagist,
  nuget,
  mavenCentral,
  hex,
  pub,
  depsDev,
  osv,
  endOfLife,
  crossref,
  datacite,
  europePmc,
  orcid,
  ror,
  semanticScholar,
  unpaywall,
  wikidata,
  wikimedia,
  wikipedia("en"),
  frankfurter,
  worldBank,
  gleif,
  sec,
  secData,
  nominatim,
  photon,
  nws,
  usgs,
  doh,
  ianaRdap,
  rdapServer("each registry's own"),
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
  if (!contactParts(upstream, env)) missing.push(contactVariable);
  return missing;
}

/** Checks that upstreams have their credentials and the operator's contact; reports names of variables, never values. */
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
          `Not set or not readable here: ${missing.join(", ")}. Workers without these serve only test keys.`,
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
