import type { Upstream } from "../transport/upstream.ts";
import { dataforseo } from "../upstreams/dataforseo/client.ts";
import { depsDev } from "../upstreams/deps-dev/client.ts";
import { doh } from "../upstreams/doh/client.ts";
import { endOfLife } from "../upstreams/endoflife/client.ts";
import { ianaRdap, rdapServer } from "../upstreams/rdap/client.ts";
import { osv } from "../upstreams/osv/client.ts";
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
} from "../upstreams/registries/client.ts";
import { hackernews } from "../upstreams/hackernews/client.ts";
import { ticketmaster } from "../upstreams/ticketmaster/client.ts";
import { reddit } from "../upstreams/reddit/client.ts";
import { freshLinkedin } from "../upstreams/fresh-linkedin/client.ts";
import { tikhub } from "../upstreams/tikhub/client.ts";
import { weibo } from "../upstreams/weibo/client.ts";
import { twitter283 } from "../upstreams/twitter283/client.ts";
import { x, xApp } from "../upstreams/x/client.ts";
import { youtube, youtubeCharts } from "../upstreams/youtube/client.ts";
import { crossref } from "../upstreams/crossref/client.ts";
import { datacite } from "../upstreams/datacite/client.ts";
import { europePmc } from "../upstreams/europe-pmc/client.ts";
import { frankfurter } from "../upstreams/frankfurter/client.ts";
import { gleif } from "../upstreams/gleif/client.ts";
import { sec, secData } from "../upstreams/sec/client.ts";
import { worldBank } from "../upstreams/world-bank/client.ts";
import { nominatim } from "../upstreams/nominatim/client.ts";
import { photon } from "../upstreams/photon/client.ts";
import { openLibrary } from "../upstreams/open-library/client.ts";
import { gutendex } from "../upstreams/gutendex/client.ts";
import { musicBrainz } from "../upstreams/musicbrainz/client.ts";
import { apple } from "../upstreams/apple/client.ts";
import {
  dailymotionOembed,
  tiktokOembed,
  vimeoOembed,
  youtubeOembed,
} from "../upstreams/oembed/client.ts";
import { gbif } from "../upstreams/gbif/client.ts";
import { iNaturalist } from "../upstreams/inaturalist/client.ts";
import { openFoodFacts, openFoodFactsSearch } from "../upstreams/open-food-facts/client.ts";
import {
  openMeteo,
  openMeteoAirQuality,
  openMeteoArchive,
} from "../upstreams/open-meteo/client.ts";
import { overpass } from "../upstreams/overpass/client.ts";
import { openAlex } from "../upstreams/openalex/client.ts";
import { nws } from "../upstreams/nws/client.ts";
import { usgs } from "../upstreams/usgs/client.ts";
import { orcid } from "../upstreams/orcid/client.ts";
import { ror } from "../upstreams/ror/client.ts";
import { semanticScholar } from "../upstreams/semantic-scholar/client.ts";
import { unpaywall } from "../upstreams/unpaywall/client.ts";
import { wikidata, wikidataQuery, wikimedia, wikipedia } from "../upstreams/wikimedia/client.ts";
import {
  codeberg,
  github,
  githubSearch,
  gitlab,
  gitlabSearch,
} from "../upstreams/code-hosts/client.ts";
import { huggingFace, huggingFaceFiles } from "../upstreams/hugging-face/client.ts";
import { internetArchive, wayback } from "../upstreams/internet-archive/client.ts";
import { bluesky, lemmy, mastodon } from "../upstreams/open-social/client.ts";
import { stackExchange } from "../upstreams/stack-exchange/client.ts";
import { usaSpending } from "../upstreams/usaspending/client.ts";
import { congress } from "../upstreams/congress/client.ts";
import { federalRegister } from "../upstreams/federal-register/client.ts";
import { openFda } from "../upstreams/openfda/client.ts";
import { greenhouse } from "../upstreams/greenhouse/client.ts";
import { lever } from "../upstreams/lever/client.ts";
import { remotive } from "../upstreams/remotive/client.ts";
import { coinGecko } from "../upstreams/coingecko/client.ts";
import { crtSh } from "../upstreams/crtsh/client.ts";
import { hnSearch } from "../upstreams/hn-search/client.ts";
import type { Samples } from "./sample.ts";

/** Every upstream once, and the module that exports its samples. */
const all: readonly (readonly [Upstream, (() => Promise<object>)?])[] = [
  [dataforseo("", ""), () => import("./dataforseo.ts")],
  [hackernews, () => import("../areas/news-aggregator/samples/answers.ts")],
  [ticketmaster, () => import("../areas/events/samples/answers.ts")],
  [reddit, () => import("../areas/forum/samples/answers.ts")],
  [tikhub, () => import("./tikhub.ts")],
  [freshLinkedin, () => import("../areas/professional-network/samples/fresh-linkedin.ts")],
  [twitter283, () => import("../areas/microblog/samples/twitter283.ts")],
  [weibo, () => import("../areas/cnblog/samples/weibo.ts")],
  [x, () => import("../areas/microblog/samples/x.ts")],
  [xApp],
  [youtube, () => import("../areas/videosite/samples/answers.ts")],
  [youtubeCharts, () => import("../areas/videosite/samples/answers.ts")],
  [npm, () => import("../areas/packages/samples/registries.ts")],
  [npmDownloads, () => import("../areas/packages/samples/registries.ts")],
  [pypi, () => import("../areas/packages/samples/registries.ts")],
  [pypiStats, () => import("../areas/packages/samples/registries.ts")],
  [crates, () => import("../areas/packages/samples/registries.ts")],
  [rubygems, () => import("../areas/packages/samples/registries.ts")],
  [packagist, () => import("../areas/packages/samples/registries.ts")],
  [nuget, () => import("../areas/packages/samples/registries.ts")],
  [mavenCentral, () => import("../areas/packages/samples/registries.ts")],
  [hex, () => import("../areas/packages/samples/registries.ts")],
  [pub, () => import("../areas/packages/samples/registries.ts")],
  [depsDev, () => import("../areas/packages/samples/deps-dev.ts")],
  [osv, () => import("./osv.ts")],
  [endOfLife, () => import("../areas/packages/samples/endoflife.ts")],
  [crossref, () => import("../areas/papers/samples/crossref.ts")],
  [datacite, () => import("../areas/papers/samples/datacite.ts")],
  [europePmc, () => import("../areas/papers/samples/articles.ts")],
  [orcid, () => import("../areas/papers/samples/people.ts")],
  [ror, () => import("../areas/papers/samples/ror.ts")],
  [semanticScholar, () => import("../areas/papers/samples/articles.ts")],
  [unpaywall, () => import("../areas/papers/samples/articles.ts")],
  [wikidata, () => import("../areas/encyclopedia/samples/wikidata.ts")],
  [wikimedia, () => import("../areas/encyclopedia/samples/answers.ts")],
  [wikipedia("en"), () => import("../areas/encyclopedia/samples/answers.ts")],
  [frankfurter, () => import("../areas/finance/samples/rates.ts")],
  [worldBank, () => import("../areas/finance/samples/world-bank.ts")],
  [gleif, () => import("../areas/finance/samples/gleif.ts")],
  [sec, () => import("../areas/finance/samples/sec.ts")],
  [secData, () => import("../areas/finance/samples/sec.ts")],
  [nominatim, () => import("../areas/places/samples/nominatim.ts")],
  [photon, () => import("../areas/places/samples/photon.ts")],
  [nws, () => import("../areas/weather/samples/nws.ts")],
  [usgs, () => import("../areas/weather/samples/usgs.ts")],
  [openLibrary, () => import("../areas/library/samples/open-library.ts")],
  [gutendex, () => import("../areas/library/samples/gutendex.ts")],
  [musicBrainz, () => import("../areas/media/samples/musicbrainz.ts")],
  [apple, () => import("../areas/media/samples/apple.ts")],
  [youtubeOembed, () => import("../areas/media/samples/oembed.ts")],
  [vimeoOembed, () => import("../areas/media/samples/oembed.ts")],
  [dailymotionOembed, () => import("../areas/media/samples/oembed.ts")],
  [tiktokOembed, () => import("../areas/media/samples/oembed.ts")],
  [gbif, () => import("../areas/nature/samples/gbif.ts")],
  [iNaturalist, () => import("../areas/nature/samples/inaturalist.ts")],
  [openFoodFacts, () => import("../areas/food/samples/open-food-facts.ts")],
  [openFoodFactsSearch, () => import("../areas/food/samples/open-food-facts.ts")],
  [openMeteo, () => import("../areas/weather/samples/open-meteo.ts")],
  [openMeteoAirQuality, () => import("../areas/weather/samples/open-meteo.ts")],
  [openMeteoArchive, () => import("../areas/weather/samples/open-meteo.ts")],
  [overpass, () => import("../areas/places/samples/overpass.ts")],
  [openAlex, () => import("../areas/papers/samples/openalex.ts")],
  [doh, () => import("../areas/security/samples/doh.ts")],
  [ianaRdap, () => import("../areas/security/samples/rdap.ts")],
  [rdapServer("each registry's own"), () => import("../areas/security/samples/rdap.ts")],
  [github, () => import("../areas/code/samples/github.ts")],
  [githubSearch, () => import("../areas/code/samples/github.ts")],
  [gitlab, () => import("../areas/code/samples/gitlab.ts")],
  [gitlabSearch, () => import("../areas/code/samples/gitlab.ts")],
  [codeberg, () => import("../areas/code/samples/codeberg.ts")],
  [bluesky, () => import("../areas/open-social/samples/bluesky.ts")],
  [mastodon("the instance of the call"), () => import("../areas/open-social/samples/mastodon.ts")],
  [lemmy("the instance of the call"), () => import("../areas/open-social/samples/lemmy.ts")],
  [stackExchange, () => import("../areas/questions/samples/answers.ts")],
  [huggingFace, () => import("../areas/models/samples/answers.ts")],
  [huggingFaceFiles, () => import("../areas/models/samples/answers.ts")],
  [wayback, () => import("../areas/archive/samples/answers.ts")],
  [internetArchive, () => import("../areas/archive/samples/answers.ts")],
  [wikidataQuery, () => import("../areas/encyclopedia/samples/wikidata-query.ts")],
  [usaSpending, () => import("../areas/government/samples/usaspending.ts")],
  [congress, () => import("../areas/government/samples/congress.ts")],
  [federalRegister, () => import("../areas/government/samples/federal-register.ts")],
  [openFda, () => import("../areas/government/samples/openfda.ts")],
  [greenhouse, () => import("../areas/job-boards/samples/answers.ts")],
  [lever("us"), () => import("../areas/job-boards/samples/answers.ts")],
  [lever("eu"), () => import("../areas/job-boards/samples/answers.ts")],
  [remotive, () => import("../areas/job-boards/samples/answers.ts")],
  [coinGecko, () => import("../areas/finance/samples/coingecko.ts")],
  [crtSh, () => import("../areas/security/samples/crtsh.ts")],
  [hnSearch, () => import("../areas/news-aggregator/samples/search.ts")],
];

export const upstreams: readonly Upstream[] = all.map(([upstream]) => upstream);

const isSamples = (value: unknown): value is Samples =>
  typeof value === "object" && value !== null && "upstream" in value && "answers" in value;

/** Sample answers of every upstream. Throws for a module without those of its upstream. */
export async function allSamples(): Promise<Samples[]> {
  const found = all.map(async ([{ name }, load]) => {
    if (!load) return [];
    const samples = Object.values(await load())
      .filter(isSamples)
      .filter(({ upstream }) => upstream === name);
    if (samples.length !== 1) throw new Error(`${samples.length} samples of ${name}`);
    return samples;
  });
  return (await Promise.all(found)).flat();
}
