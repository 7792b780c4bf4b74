import { expect, test } from "vitest";
import { youtube as bundled } from "../../../worker/areas/videosite/samples/answers.ts";
import { type Row, browsePath, grid, item, old, rowsOf, site, tab } from "./site.ts";

const chart = (videoViews: unknown[]) => ({
  contents: {
    sectionListRenderer: {
      contents: [{ musicAnalyticsSectionRenderer: { content: { videos: [{ videoViews }] } } }],
    },
  },
});
const charted = (id: string, more: object = {}) => ({ id, title: id, ...more });
const samples = (games: unknown, views: unknown[]) => [
  ...site({ [browsePath]: () => games }),
  {
    upstream: "youtube-charts",
    answers: { [browsePath]: () => chart(views) },
    faults: bundled.faults,
  },
];
const ranks = (rows: Row[]) => rows.map(({ id, rank }) => [id, rank]);

test("a chart's video that does not fit or is not shown keeps its rank empty", async () => {
  const views = [
    charted("a"),
    { title: "no id" },
    charted("b", { isAvailable: false }),
    charted("c"),
  ];
  const rows = await rowsOf(
    "videosite.trending",
    { section: "music" },
    { samples: samples({}, views) },
  );
  expect(ranks(rows)).toEqual([
    ["a", 1],
    ["c", 4],
  ]);
});

test("a video of the games chart that does not fit keeps its rank, while other entries have none", async () => {
  const advert = item({ adSlotRenderer: { enablePacfLoggingWeb: false } });
  const bad = item({ videoRenderer: { title: { simpleText: "no id" } } });
  const page = tab(grid(item(old("aaaaaaaaaaa")), advert, bad, item(old("bbbbbbbbbbb"))));
  const rows = await rowsOf(
    "videosite.trending",
    { section: "gaming" },
    { samples: samples(page, []) },
  );
  expect(ranks(rows)).toEqual([
    ["aaaaaaaaaaa", 1],
    ["bbbbbbbbbbb", 3],
  ]);
});

test("all sections in turn keep the ranks as well; a video of two sections has one", async () => {
  const bad = item({ videoRenderer: { title: { simpleText: "no id" } } });
  const page = tab(grid(item(old("aaaaaaaaaaa")), bad, item(old("ccccccccccc"))));
  const views = [charted("m1"), charted("m2")];
  const rows = await rowsOf(
    "videosite.trending",
    { section: "now" },
    { samples: samples(page, views) },
  );
  // The movies section answers like music here: its videos are repeats.
  expect(ranks(rows)).toEqual([
    ["aaaaaaaaaaa", 1],
    ["m1", 2],
    ["m2", 4],
    ["ccccccccccc", 5],
  ]);
});
