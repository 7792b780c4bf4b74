import type { Samples } from "./sample.ts";
import { hackernews } from "../areas/news-aggregator/samples/answers.ts";
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
} from "../areas/packages/samples/registries.ts";
import { depsDev } from "../areas/packages/samples/deps-dev.ts";
import { endOfLife } from "../areas/packages/samples/endoflife.ts";
import { doh } from "../areas/security/samples/doh.ts";
import { ianaRdap, rdap } from "../areas/security/samples/rdap.ts";
import { osv } from "./osv.ts";
import { dataforseo } from "./dataforseo.ts";
import { ticketmaster } from "../areas/events/samples/answers.ts";
import { reddit } from "../areas/forum/samples/answers.ts";
import { freshLinkedin } from "../areas/professional-network/samples/fresh-linkedin.ts";
import { tikhub } from "./tikhub.ts";
import { twitter283 } from "../areas/microblog/samples/twitter283.ts";
import { weibo } from "../areas/cnblog/samples/weibo.ts";
import { wikimedia, wikipedia } from "../areas/encyclopedia/samples/answers.ts";
import { wikidata } from "../areas/encyclopedia/samples/wikidata.ts";
import { frankfurter } from "../areas/finance/samples/rates.ts";
import { gleif } from "../areas/finance/samples/gleif.ts";
import { sec, secData } from "../areas/finance/samples/sec.ts";
import { worldBank } from "../areas/finance/samples/world-bank.ts";
import { nominatim } from "../areas/places/samples/nominatim.ts";
import { photon } from "../areas/places/samples/photon.ts";
import { openLibrary } from "../areas/library/samples/open-library.ts";
import { gutendex } from "../areas/library/samples/gutendex.ts";
import { musicBrainz } from "../areas/media/samples/musicbrainz.ts";
import { apple } from "../areas/media/samples/apple.ts";
import { gbif } from "../areas/nature/samples/gbif.ts";
import { iNaturalist } from "../areas/nature/samples/inaturalist.ts";
import { openFoodFacts, openFoodFactsSearch } from "../areas/food/samples/open-food-facts.ts";
import {
  openMeteo,
  openMeteoAirQuality,
  openMeteoArchive,
} from "../areas/weather/samples/open-meteo.ts";
import { overpass } from "../areas/places/samples/overpass.ts";
import { openAlex } from "../areas/papers/samples/openalex.ts";
import { nws } from "../areas/weather/samples/nws.ts";
import { usgs } from "../areas/weather/samples/usgs.ts";
import { europePmc, semanticScholar, unpaywall } from "../areas/papers/samples/articles.ts";
import { crossref } from "../areas/papers/samples/crossref.ts";
import { datacite } from "../areas/papers/samples/datacite.ts";
import { orcid } from "../areas/papers/samples/people.ts";
import { ror } from "../areas/papers/samples/ror.ts";
import { x } from "../areas/microblog/samples/x.ts";
import { internetArchive, wayback } from "../areas/archive/samples/answers.ts";
import { codeberg } from "../areas/code/samples/codeberg.ts";
import { github, githubSearch } from "../areas/code/samples/github.ts";
import { gitlab, gitlabSearch } from "../areas/code/samples/gitlab.ts";
import { huggingFace, huggingFaceFiles } from "../areas/models/samples/answers.ts";
import { bluesky } from "../areas/open-social/samples/bluesky.ts";
import { lemmy } from "../areas/open-social/samples/lemmy.ts";
import { mastodon } from "../areas/open-social/samples/mastodon.ts";
import { stackExchange } from "../areas/questions/samples/answers.ts";
import { youtube, youtubeCharts } from "../areas/videosite/samples/answers.ts";
import { usaSpending } from "../areas/government/samples/usaspending.ts";
import { congress } from "../areas/government/samples/congress.ts";
import { federalRegister } from "../areas/government/samples/federal-register.ts";
import { openFda } from "../areas/government/samples/openfda.ts";
import { greenhouse, lever, leverEu, remotive } from "../areas/job-boards/samples/answers.ts";
import { coinGecko } from "../areas/finance/samples/coingecko.ts";
import { crtSh } from "../areas/security/samples/crtsh.ts";
import { wikidataQuery } from "../areas/encyclopedia/samples/wikidata-query.ts";
import { hnSearch } from "../areas/news-aggregator/samples/search.ts";

/** Sample answers of every upstream, for test mode. */
export const samples: readonly Samples[] = [
  hackernews,
  ticketmaster,
  reddit,
  tikhub,
  freshLinkedin,
  twitter283,
  weibo,
  x,
  dataforseo,
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
  wikipedia,
  frankfurter,
  worldBank,
  gleif,
  sec,
  secData,
  nominatim,
  photon,
  nws,
  usgs,
  openAlex,
  overpass,
  openMeteo,
  openMeteoAirQuality,
  openMeteoArchive,
  openFoodFacts,
  openFoodFactsSearch,
  iNaturalist,
  gbif,
  apple,
  musicBrainz,
  gutendex,
  openLibrary,
  doh,
  ianaRdap,
  rdap,
  github,
  githubSearch,
  gitlab,
  gitlabSearch,
  codeberg,
  bluesky,
  mastodon,
  lemmy,
  stackExchange,
  huggingFace,
  huggingFaceFiles,
  wayback,
  internetArchive,
  usaSpending,
  congress,
  federalRegister,
  openFda,
  greenhouse,
  lever,
  leverEu,
  remotive,
  coinGecko,
  crtSh,
  wikidataQuery,
  hnSearch,
];
