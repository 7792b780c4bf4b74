import type { Upstream } from "../transport/upstream.ts";
import { dataforseo } from "./dataforseo/client.ts";
import { depsDev } from "./deps-dev/client.ts";
import { doh } from "./doh/client.ts";
import { endOfLife } from "./endoflife/client.ts";
import { ianaRdap, rdapServer } from "./rdap/client.ts";
import { osv } from "./osv/client.ts";
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
} from "./registries/client.ts";
import { hackernews } from "./hackernews/client.ts";
import { ticketmaster } from "./ticketmaster/client.ts";
import { reddit } from "./reddit/client.ts";
import { freshLinkedin } from "./fresh-linkedin/client.ts";
import { tikhub } from "./tikhub/client.ts";
import { weibo } from "./weibo/client.ts";
import { twitter283 } from "./twitter283/client.ts";
import { x, xApp } from "./x/client.ts";
import { youtube, youtubeCharts } from "./youtube/client.ts";
import { crossref } from "./crossref/client.ts";
import { datacite } from "./datacite/client.ts";
import { europePmc } from "./europe-pmc/client.ts";
import { frankfurter } from "./frankfurter/client.ts";
import { gleif } from "./gleif/client.ts";
import { sec, secData } from "./sec/client.ts";
import { worldBank } from "./world-bank/client.ts";
import { nominatim } from "./nominatim/client.ts";
import { photon } from "./photon/client.ts";
import { openLibrary } from "./open-library/client.ts";
import { gutendex } from "./gutendex/client.ts";
import { musicBrainz } from "./musicbrainz/client.ts";
import { apple } from "./apple/client.ts";
import { gbif } from "./gbif/client.ts";
import { iNaturalist } from "./inaturalist/client.ts";
import { openFoodFacts, openFoodFactsSearch } from "./open-food-facts/client.ts";
import { openMeteo, openMeteoAirQuality, openMeteoArchive } from "./open-meteo/client.ts";
import { overpass } from "./overpass/client.ts";
import { openAlex } from "./openalex/client.ts";
import { nws } from "./nws/client.ts";
import { usgs } from "./usgs/client.ts";
import { orcid } from "./orcid/client.ts";
import { ror } from "./ror/client.ts";
import { semanticScholar } from "./semantic-scholar/client.ts";
import { unpaywall } from "./unpaywall/client.ts";
import { wikidata, wikidataQuery, wikimedia, wikipedia } from "./wikimedia/client.ts";
import { codeberg, github, githubSearch, gitlab, gitlabSearch } from "./code-hosts/client.ts";
import { huggingFace, huggingFaceFiles } from "./hugging-face/client.ts";
import { internetArchive, wayback } from "./internet-archive/client.ts";
import { bluesky, lemmy, mastodon } from "./open-social/client.ts";
import { stackExchange } from "./stack-exchange/client.ts";
import { usaSpending } from "./usaspending/client.ts";
import { congress } from "./congress/client.ts";
import { federalRegister } from "./federal-register/client.ts";
import { openFda } from "./openfda/client.ts";
import { greenhouse } from "./greenhouse/client.ts";
import { lever } from "./lever/client.ts";
import { remotive } from "./remotive/client.ts";
import { coinGecko } from "./coingecko/client.ts";
import { crtSh } from "./crtsh/client.ts";
import { hnSearch } from "./hn-search/client.ts";

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
  openLibrary,
  gutendex,
  musicBrainz,
  apple,
  gbif,
  iNaturalist,
  openFoodFacts,
  openFoodFactsSearch,
  openMeteo,
  openMeteoAirQuality,
  openMeteoArchive,
  overpass,
  openAlex,
  doh,
  ianaRdap,
  rdapServer("each registry's own"),
  github,
  githubSearch,
  gitlab,
  gitlabSearch,
  codeberg,
  bluesky,
  mastodon("the instance of the call"),
  lemmy("the instance of the call"),
  stackExchange,
  huggingFace,
  huggingFaceFiles,
  wayback,
  internetArchive,
  wikidataQuery,
  usaSpending,
  congress,
  federalRegister,
  openFda,
  greenhouse,
  lever("us"),
  lever("eu"),
  remotive,
  coinGecko,
  crtSh,
  hnSearch,
];
