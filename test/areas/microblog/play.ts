import { expect } from "vitest";
import { operations } from "../../../contract/index.ts";
import type { CursorPayload } from "../../../contract/cursor.ts";
import { samples as bundled } from "../../../worker/sandbox/samples.ts";
import { createSandbox } from "../../../worker/sandbox/sandbox.ts";
import type { Sample, Samples } from "../../../worker/sandbox/sample.ts";
import type { Reply, Upstream, UpstreamRequest } from "../../../worker/transport/upstream.ts";
import { type Played, play as playOperation } from "../../operations/play.ts";

export type Json = { [key: string]: unknown };

export interface Options {
  /** Names of the upstreams with credentials; all when absent. */
  configured?: string[];
  answers?: Record<string, Sample>;
  cursor?: CursorPayload | undefined;
  maxRecords?: number;
}

/** Runs one call; its upstream requests are kept in `sent`. */
export async function play(id: string, input: Json, options: Options = {}) {
  const operation = operations.get(id);
  if (!operation) throw new Error(`no operation ${id}`);
  const { answers = {}, configured, ...rest } = options;
  const own: Samples[] = bundled.map((all) =>
    ["x", "twitter283"].includes(all.upstream)
      ? { ...all, answers: { ...answers, ...all.answers, ...answers } }
      : all,
  );
  // The app's own credential reaches the same API.
  own.push({ ...(own.find(({ upstream }) => upstream === "x") as Samples), upstream: "x-app" });
  const sandbox = createSandbox(own);
  const sent: { upstream: string; path: string; query: Json }[] = [];
  const played = await playOperation(
    operation,
    operation.input.parse(input) as Record<string, unknown>,
    {
      ...rest,
      outbound: {
        ...sandbox,
        send(upstream: Upstream, request: UpstreamRequest, call): Promise<Reply> {
          sent.push({ upstream: upstream.name, path: request.path, query: request.query ?? {} });
          return sandbox.send(upstream, request, call);
        },
        hasCredentials: ({ name }) => Promise.resolve(configured?.includes(name) ?? true),
      },
    },
  );
  expect(played.faults).toEqual([]);
  return { played, sent };
}

export async function dataOf<T = Json>(...call: Parameters<typeof play>): Promise<T> {
  const { played } = await play(...call);
  if (!played.ok) throw new Error(`${played.type}: ${played.message}`);
  return played.data as T;
}

export const typeOf = (played: Played) => (played.ok ? "ok" : played.type);
/** Only the complement has credentials. */
export const complement = { configured: ["twitter283"] };

/** A timeline of these entries, in the key style of the upstream's documentation. */
export const timeline = (entries: Json[], more: Json[] = []) => ({
  timeline: { instructions: [...more, { __typename: "TimelineAddEntries", entries }] },
});
export const liked =
  (inner: Json): Sample =>
  () => ({
    data: {
      user_result_by_rest_id: {
        rest_id: "7",
        result: { rest_id: "7", favorites_by_time_timeline_v2: inner },
      },
    },
  });
export const tweetEntry = (result: unknown, more: Json = {}) => ({
  entry_id: "tweet-1",
  content: { content: { tweet_results: { result }, ...more } },
});
export const bottom = (value: string) => ({
  entry_id: "cursor-bottom-0",
  content: { __typename: "TimelineTimelineCursor", cursor_type: "Bottom", value },
});
export const tweet = (id: string, legacy: Json = {}, more: Json = {}) => ({
  __typename: "Tweet",
  rest_id: id,
  legacy: { full_text: `T${id}`, ...legacy },
  ...more,
});
export const likedPosts = (entries: Json[], more: Json[] = []) =>
  dataOf<Json[]>(
    "microblog.users.liked_posts",
    { id: "7" },
    { answers: { "GET /UserLikes": liked(timeline(entries, more)) } },
  );
