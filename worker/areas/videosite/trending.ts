import type { VideositeTrendingVideo } from "../../../contract/areas/videosite/records.ts";
import type { videosite } from "../../../contract/areas/videosite/index.ts";
import type { InputOf } from "../../../contract/operation.ts";
import type { Call } from "../../connector.ts";
import { ask } from "../../upstreams/youtube/innertube.ts";
import { youtubeCharts } from "../../upstreams/youtube/client.ts";
import { array, at, need, rows } from "#wire";
import { defined, listing } from "./node.map.ts";
import { chartVideo, listedVideo } from "./video.map.ts";

type Section = VideositeTrendingVideo["section"];
type Input = InputOf<
  Extract<(typeof videosite)["operations"][number], { id: "videosite.trending" }>
>;
type Unranked = Omit<VideositeTrendingVideo, "rank">;
/** The ranks of a section, from the first; undefined where a video is unreadable or hidden. */
type Ranks = (Unranked | undefined)[];

/** The videos of one section, or of all in turn, in the order of their ranks. */
export async function trending(
  call: Call,
  { country, language_code: language, section }: Input,
): Promise<VideositeTrendingVideo[]> {
  const found =
    section === "now"
      ? await allInTurn(call, country, language)
      : await one(call, country, language, section);
  return found.flatMap((video, index) => (video ? [{ ...video, rank: index + 1 }] : []));
}

const one = (call: Call, country: string, language: string, section: Section): Promise<Ranks> =>
  section === "gaming" ? gaming(call, country, language) : chart(call, country, language, section);

/** Sections that a country does not have are left out. */
async function allInTurn(call: Call, country: string, language: string): Promise<Ranks> {
  const sections = await Promise.allSettled(
    (["gaming", "music", "movies"] as const).map((section) =>
      one(call, country, language, section),
    ),
  );
  const lists = sections.map((found) => (found.status === "fulfilled" ? found.value : undefined));
  const failed = sections.find((found) => found.status === "rejected");
  if (failed && lists.every((list) => list === undefined)) throw failed.reason;
  const longest = Math.max(...lists.map((list) => list?.length ?? 0));
  const seen = new Set<string>();
  const ranks: Ranks = [];
  for (let index = 0; index < longest; index += 1) {
    for (const list of lists) {
      if (!list || index >= list.length) continue;
      const video = list[index];
      if (video && seen.has(video.id)) continue;
      if (video) seen.add(video.id);
      ranks.push(video);
    }
  }
  return ranks;
}

async function gaming(call: Call, country: string, language: string): Promise<Ranks> {
  const page = await ask(call, {
    path: "/browse",
    body: { browseId: "UCOpNcN46UbXVtpKMrmU4Abg", params: "Egh0cmVuZGluZw%3D%3D" },
    country,
    language,
  });
  const found = need(listing(page, { shelves: true }), "contents");
  const ranks: Ranks = [];
  rows(found.entries, "contents", (entry) => {
    const index = ranks.push(undefined) - 1;
    const video = listedVideo(entry);
    // Entries other than videos have no rank.
    if (!video) return void ranks.pop();
    const { description: _, ...kept } = video;
    ranks[index] = { ...kept, section: "gaming" };
    return true;
  });
  return ranks;
}

const charts = { music: "TRENDING_VIDEOS", movies: "TRENDING_MOVIES" };

async function chart(
  call: Call,
  country: string,
  language: string,
  section: "music" | "movies",
): Promise<Ranks> {
  const query = new URLSearchParams({
    perspective: "CHART_DETAILS",
    chart_params_country_code: country.toLowerCase(),
    chart_params_chart_type: charts[section],
  });
  const reply = await call.send(youtubeCharts, {
    method: "POST",
    path: "/youtubei/v1/browse",
    query: { alt: "json" },
    headers: {
      origin: youtubeCharts.baseUrl.default,
      referer: `${youtubeCharts.baseUrl.default}/`,
      "x-youtube-client-name": "31",
    },
    body: {
      context: {
        client: {
          clientName: "WEB_MUSIC_ANALYTICS",
          clientVersion: "2.0",
          hl: language,
          gl: country,
        },
      },
      browseId: "FEmusic_analytics_charts_home",
      query: query.toString(),
    },
  });
  const shown = at(
    reply.body,
    "contents",
    "sectionListRenderer",
    "contents",
    0,
    "musicAnalyticsSectionRenderer",
    "content",
    "videos",
    0,
    "videoViews",
  );
  const ranks: Ranks = [];
  rows(need(array(shown), "videoViews"), "videoViews", (row) => {
    const index = ranks.push(undefined) - 1;
    if (row.isAvailable === false) return undefined;
    ranks[index] = defined({ ...chartVideo(row), section });
    return true;
  });
  return ranks;
}
