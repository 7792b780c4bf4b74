import { expect } from "vitest";
import type { Sample, SampleRequest, Samples } from "../../../worker/sandbox/sample.ts";
import { youtube as bundled } from "../../../worker/areas/videosite/samples/answers.ts";
import type { Answered, Played } from "../../operations/play.ts";
import { play } from "../play.ts";

/** Hand-written pages of the video site. */

export type Row = Record<string, unknown> & { id: string };

export const channelId = "UC0123456789abcdefghijkl";
export const browsePath = "POST /youtubei/v1/browse";
export const nextPath = "POST /youtubei/v1/next";
export const searchPath = "POST /youtubei/v1/search";
export const playerPath = "POST /youtubei/v1/player";

export const site = (answers: Record<string, Sample>): Samples[] => [
  { upstream: "youtube", answers, faults: bundled.faults },
];
export const text = (simpleText: string) => ({ simpleText });
export const token = (of: string) => ({
  continuationItemRenderer: { continuationEndpoint: { continuationCommand: { token: of } } },
});
export const continuationOf = ({ body }: SampleRequest) =>
  (body as { continuation?: string }).continuation;
export const append = (continuationItems: unknown[]) => ({
  onResponseReceivedActions: [{ appendContinuationItemsAction: { continuationItems } }],
});
export const tab = (content: unknown, url = "/@maker/videos") => ({
  contents: {
    twoColumnBrowseResultsRenderer: {
      tabs: [
        {
          tabRenderer: {
            selected: true,
            content,
            endpoint: { commandMetadata: { webCommandMetadata: { url } } },
          },
        },
      ],
    },
  },
});
export const grid = (...contents: unknown[]) => ({ richGridRenderer: { contents } });
export const item = (content: unknown) => ({ richItemRenderer: { content } });
export const old = (videoId: string, more: object = {}) => ({
  videoRenderer: { videoId, title: text(videoId), ...more },
});
export const found = (...contents: unknown[]) => ({
  contents: {
    twoColumnSearchResultsRenderer: {
      primaryContents: {
        sectionListRenderer: { contents: [{ itemSectionRenderer: { contents } }] },
      },
    },
  },
});

export async function ok(...call: Parameters<typeof play>): Promise<Answered> {
  const played = await play(...call);
  if (!played.ok) throw new Error(`${played.type}: ${played.message}`);
  expect(played.faults).toEqual([]);
  return played;
}
export const rowsOf = async (...call: Parameters<typeof play>) => (await ok(...call)).data as Row[];
export const typeOf = (played: Played) => (played.ok ? "ok" : played.type);
