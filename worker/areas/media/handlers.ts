import type { media } from "../../../contract/areas/media/index.ts";
import { type VideoSite, videoSiteOf } from "../../../contract/areas/media/videos.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { wholeById } from "../../mapping/list.ts";
import { literalWords } from "../../mapping/literal-words.ts";
import { sliced } from "../../mapping/sliced.ts";
import type { Upstream } from "../../transport/upstream.ts";
import { apple } from "../../upstreams/apple/client.ts";
import { musicBrainz } from "../../upstreams/musicbrainz/client.ts";
import {
  dailymotionOembed,
  tiktokOembed,
  vimeoOembed,
  youtubeOembed,
} from "../../upstreams/oembed/client.ts";
import { type Wire, at, count, found, need, object, rows } from "#wire";
import { app, podcast, resultsOf } from "./apple.map.ts";
import {
  artist,
  artistFound,
  recording,
  recordingFound,
  release,
  releaseDetails,
  releaseFound,
  releaseGroup,
} from "./musicbrainz.map.ts";
import { embed } from "./oembed.map.ts";

type Query = Readonly<Record<string, string | number | undefined>>;

async function get(call: Call, upstream: Upstream, path: string, query: Query) {
  return (await call.send(upstream, { method: "GET", path, query })).body;
}

const music = (call: Call, path: string, query: Query) =>
  get(call, musicBrainz, `/ws/2/${path}`, { fmt: "json", ...query });

interface List<Row> {
  path: string;
  query: Query;
  /** Name of the rows, and of their number. */
  rows: string;
  total: string;
  read: (row: Wire) => Row;
}

function listOf<Row extends { id: string }>(
  call: Call,
  { limit }: { limit: number },
  list: List<Row>,
) {
  return sliced(call, {
    limit,
    size: { most: 100 },
    last: Infinity,
    key: (row: Row) => row.id,
    async fetch(offset, size) {
      const body = await music(call, list.path, { ...list.query, limit: size, offset });
      return {
        rows: rows(at(body, list.rows), list.rows, list.read),
        total: need(count(at(body, list.total)), list.total),
      };
    },
  });
}

/** Words of a field of the search; quotes keep them together. */
const phrase = (field: string, words: string) => `${field}:"${literalWords(words, field)}"`;

interface Wanted {
  q?: string | undefined;
  artist?: string | undefined;
}

/** Words, the name of an artist and a code as one query of the source's search. */
function queryOf(wanted: Wanted, field: string, code: string | undefined): string {
  const { q, artist: name } = wanted;
  if (q === undefined && code === undefined) {
    throw invalid("query", "q", "required", `q: give q or ${field}`);
  }
  const parts = [
    q === undefined ? undefined : `(${literalWords(q)})`,
    name === undefined ? undefined : phrase("artist", name),
    code === undefined ? undefined : `${field}:${code}`,
  ];
  return parts.filter((part) => part !== undefined).join(" AND ");
}

/** The source's kinds of apps. */
const appKinds = ["software", "mac-software"];
const entities = { iphone: "software", ipad: "iPadSoftware", mac: "macSoftware" };

const embedsOf: Readonly<Record<VideoSite, readonly [Upstream, path: string]>> = {
  youtube: [youtubeOembed, "/oembed"],
  vimeo: [vimeoOembed, "/api/oembed.json"],
  dailymotion: [dailymotionOembed, "/services/oembed"],
  tiktok: [tiktokOembed, "/oembed"],
};

export default {
  "media.artists.search": (input, call) =>
    listOf(call, input, {
      path: "artist",
      query: { query: literalWords(input.q) },
      rows: "artists",
      total: "count",
      read: artistFound,
    }),
  "media.artists.get": async ({ id }, call) => {
    const body = await music(call, `artist/${id}`, { inc: "aliases+url-rels" });
    return { data: artist(need(object(body), "artist")) };
  },
  "media.artists.release_groups": (input, call) =>
    listOf(call, input, {
      path: "release-group",
      query: { artist: input.id, type: input.type, inc: "artist-credits" },
      rows: "release-groups",
      total: "release-group-count",
      read: releaseGroup,
    }),
  "media.release_groups.releases": (input, call) =>
    listOf(call, input, {
      path: "release",
      query: { "release-group": input.id, inc: "artist-credits+labels+media+release-groups" },
      rows: "releases",
      total: "release-count",
      read: release,
    }),
  "media.releases.search": (input, call) =>
    listOf(call, input, {
      path: "release",
      query: { query: queryOf(input, "barcode", input.barcode) },
      rows: "releases",
      total: "count",
      read: releaseFound,
    }),
  "media.releases.get": async ({ id }, call) => {
    const inc = "artist-credits+labels+recordings+release-groups";
    const body = await music(call, `release/${id}`, { inc });
    return { data: releaseDetails(need(object(body), "release")) };
  },
  "media.recordings.search": (input, call) =>
    listOf(call, input, {
      path: "recording",
      query: { query: queryOf(input, "isrc", input.isrc) },
      rows: "recordings",
      total: "count",
      read: recordingFound,
    }),
  "media.recordings.get": async ({ id }, call) => {
    const body = await music(call, `recording/${id}`, { inc: "artist-credits+isrcs+releases" });
    return { data: recording(need(object(body), "recording")) };
  },
  "media.apps.search": async ({ q, country, device, limit }, call) => {
    const entity = entities[device];
    const query = { term: q, country, media: "software", entity, limit };
    const results = resultsOf(await get(call, apple, "/search", query), appKinds);
    return wholeById(call, rows(results, "results", app).slice(0, limit));
  },
  "media.apps.get": async ({ id, country }, call) => {
    const results = resultsOf(await get(call, apple, "/lookup", { id, country }), appKinds);
    return { data: found(rows(results, "results", app)[0], "app") };
  },
  "media.podcasts.search": async ({ q, country, limit }, call) => {
    const query = { term: q, country, media: "podcast", entity: "podcast", limit };
    const results = resultsOf(await get(call, apple, "/search", query), ["podcast"]);
    return wholeById(call, rows(results, "results", podcast).slice(0, limit));
  },
  "media.podcasts.get": async ({ id, country }, call) => {
    const results = resultsOf(await get(call, apple, "/lookup", { id, country }), ["podcast"]);
    return { data: found(rows(results, "results", podcast)[0], "podcast") };
  },
  "media.videos.embed": async ({ url, max_width, max_height }, call) => {
    const site = need(videoSiteOf(url), "url");
    const [upstream, path] = embedsOf[site];
    const query = { url, format: "json", maxwidth: max_width, maxheight: max_height };
    return { data: embed(site, url, await get(call, upstream, path, query)) };
  },
} satisfies Connector<typeof media>;
