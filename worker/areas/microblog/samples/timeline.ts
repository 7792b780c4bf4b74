import type { SampleRequest } from "../../../sandbox/sample.ts";
import { graphUser, type Layout, layouts, person } from "./people.ts";
import { graphPost, type Traits } from "./posts.ts";
import { slice } from "../../../sandbox/vary.ts";

const pageSize = 20;
/** Rows of a list; a second page needs more than the largest `limit`. */
const rowsIn = { default: 34, long: 130 };

export const layoutOf = (index: number) => layouts[index % layouts.length] as Layout;

interface Part {
  first: number;
  rows: unknown[];
  /** Position after the page; the platform also sends one on the last page. */
  cursor: string;
  hasMore: boolean;
}

/** The part of a list that a request's cursor selects. */
export function part(
  { query, empty, secondPage }: Pick<SampleRequest, "query" | "empty" | "secondPage">,
  make: (index: number) => unknown,
): Part {
  const first = Number(String(query?.cursor ?? "c0").slice(1));
  const total = empty ? 0 : secondPage ? rowsIn.long : rowsIn.default;
  const rows = slice({ total, offset: first, count: pageSize }, make);
  const end = first + rows.length;
  return { first, rows, cursor: `c${end}`, hasMore: end < total };
}

/** A timeline; pages alternate between the two styles of keys, and contain entries that are not rows. */
export function timeline(request: SampleRequest, holder: string, row: Row): unknown {
  const { first, rows, cursor } = part(request, (index) => row(request, index));
  const isCamel = (first / pageSize) % 2 === 1;
  const kind = holder === "tweet_results" ? "tweet" : "user";
  const entry = (id: string, content: object) => ({
    [isCamel ? "entryId" : "entry_id"]: id,
    content,
  });
  const item = (result: unknown, more = {}) => ({
    __typename: "TimelineTimelineItem",
    [isCamel ? "itemContent" : "content"]: { [holder]: { result }, ...more },
  });
  const entries = rows.map((result, index) => entry(`${kind}-${first + index}`, item(result)));
  const strange =
    rows.length === 0
      ? []
      : [
          entry(`${kind}-${first}-advert`, {
            ...item(rows[0], {
              [isCamel ? "promotedMetadata" : "promoted_metadata"]: { advertiser: "Sample Works" },
            }),
          }),
          entry(`${kind}-${first}-gone`, item({ __typename: gone[kind] })),
          entry("who-to-follow-1", {
            __typename: "TimelineTimelineModule",
            items: [{ item: item(graphUser(person("5"), "snake")) }],
          }),
        ];
  const cursors = ["Top", "Bottom"].map((type) =>
    entry(`cursor-${type.toLowerCase()}-1`, {
      [isCamel ? "cursorType" : "cursor_type"]: type,
      value: type === "Bottom" ? cursor : `t${first}`,
    }),
  );
  const style = isCamel ? "type" : "__typename";
  return {
    timeline: {
      instructions: [
        { [style]: "TimelineClearCache" },
        { [style]: "TimelineTerminateTimeline", direction: "Top" },
        { [style]: "TimelineAddEntries", entries: [...strange, ...entries, ...cursors] },
      ],
    },
  };
}

/** A row of a list by its index. */
export type Row = (request: SampleRequest, index: number) => unknown;
const gone = { tweet: "TweetTombstone", user: "UserUnavailable" };

/** Posts with limited actions come in a wrapper. */
export function postRow(post: Traits, community?: string): unknown {
  const tweet = graphPost(post, community);
  return post.isBare ? { __typename: "TweetWithVisibilityResults", tweet } : tweet;
}
