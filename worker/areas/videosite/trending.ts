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
/** The places of a section, from the first; one whose video cannot be read or shown is empty. */
type Places = (Unranked | undefined)[];

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

const one = (call: Call, country: string, language: string, section: Section): Promise<Places> =>
  section === "gaming" ? gaming(call, country, language) : chart(call, country, language, section);

/** Sections that a country does not have are left out. */
async function allInTurn(call: Call, country: string, language: string): Promise<Places> {
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
  const places: Places = [];
  for (let place = 0; place < longest; place += 1) {
    for (const list of lists) {
      if (!list || place >= list.length) continue;
      const video = list[place];
      if (video && seen.has(video.id)) continue;
      if (video) seen.add(video.id);
      places.push(video);
    }
  }
  return places;
}

async function gaming(call: Call, country: string, language: string): Promise<Places> {
  const page = await ask(call, {
    path: "/browse",
    body: { browseId: "UCOpNcN46UbXVtpKMrmU4Abg", params: "Egh0cmVuZGluZw%3D%3D" },
    country,
    language,
  });
  const found = need(listing(page, { shelves: true }), "contents");
  const places: Places = [];
  rows(found.entries, "contents", (entry) => {
    const place = places.push(undefined) - 1;
    const video = listedVideo(entry);
    // Something else than a video has no place.
    if (!video) return void places.pop();
    const { description: _, ...kept } = video;
    places[place] = { ...kept, section: "gaming" };
    return true;
  });
  return places;
}

const charts = { music: "TRENDING_VIDEOS", movies: "TRENDING_MOVIES" };

async function chart(
  call: Call,
  country: string,
  language: string,
  section: "music" | "movies",
): Promise<Places> {
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
      origin: youtubeCharts.baseUrl.usual,
      referer: `${youtubeCharts.baseUrl.usual}/`,
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
  const places: Places = [];
  rows(need(array(shown), "videoViews"), "videoViews", (row) => {
    const place = places.push(undefined) - 1;
    if (row.isAvailable === false) return undefined;
    places[place] = defined({ ...chartVideo(row), section });
    return true;
  });
  return places;
}
