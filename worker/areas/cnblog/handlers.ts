import type { cnblog } from "../../../contract/areas/cnblog/index.ts";
import type {
  CnblogHotSearch,
  CnblogPost,
  CnblogUser,
} from "../../../contract/areas/cnblog/records.ts";
import type { Json } from "../../../contract/json.ts";
import type { Answer, Call, Connector } from "../../connector.ts";
import { firstOfEach } from "../../mapping/first-of-each.map.ts";
import { listedById, whole } from "../../mapping/list.ts";
import { either } from "../../mapping/preference.ts";
import { get } from "../../upstreams/tikhub/client.ts";
import { hotSearch as readHotSearch } from "../../upstreams/weibo/client.ts";
import { type Wire, array, at, each, found, id, integer, need, object, rows, text } from "#wire";
import { postNumber } from "./id.map.ts";
import { comment, user } from "./people.map.ts";
import { preference } from "./preference.ts";
import { absent, listIn, objectIn } from "./reply.ts";
import { headline, hotSearch, isGone, post, postOf } from "./posts.map.ts";

const web = "/api/v1/weibo/web_v2";
/** The upstream's own page of comments. */
const commentsPage = 20;

export default {
  "cnblog.hot_search": async (input, call) => {
    const found = await either(call, preference, {
      weibo: async (within) => hotSearches(at(await readHotSearch(within), "data")),
      tikhub: async (within) => {
        const body = await get(within, `${web}/fetch_hot_search`);
        return hotSearches(objectIn(body, ["realtime"], "hot search"));
      },
    });
    return whole(call, found.slice(0, input.limit));
  },
  "cnblog.posts.get": async (input, call) => {
    const body = await get(call, `${web}/fetch_post_detail`, {
      id: postNumber(input.id),
      is_get_long_text: true,
    });
    const row = objectIn(body, ["idstr", "mid", "mblogid"], "post");
    if (isGone(row)) throw absent("post");
    return { data: post(row, call.startedAt) };
  },
  "cnblog.posts.comments": (input, call) => {
    const post_id = postNumber(input.id);
    return listedById(call, input, async (position) => {
      const query = { id: post_id, count: commentsPage, max_id: text(position) ?? "" };
      const body = await get(call, `${web}/fetch_post_comments`, query);
      const { list, beside } = listIn(body, ["data"], "post");
      const next = id(beside.max_id);
      return {
        rows: rows(list, "data.data", (row) => comment(row, post_id, call.startedAt)),
        // 0, an empty mark and none mean the end. The number of all comments says nothing: some are not shown.
        next: next === undefined || next === "0" ? null : next,
      };
    });
  },
  "cnblog.users.get": async (input, call) => {
    const body = await get(call, `${web}/fetch_user_info`, { uid: input.uid });
    const holder = objectIn(body, ["user", "userInfo"], "user");
    const profile = holder.user ?? holder.userInfo;
    return {
      data: user(
        need(found(profile === null ? undefined : profile, "user") && object(profile), "data.user"),
      ),
    };
  },
  "cnblog.users.fans": (input, call) => people(call, input, "fetch_user_fans"),
  "cnblog.users.following": (input, call) => people(call, input, "fetch_user_following"),
  "cnblog.users.posts": (input, call) =>
    listedById(call, input, async (position) => {
      const page = integer(at(position, "p")) ?? 1;
      const body = await get(call, `${web}/fetch_user_posts`, {
        uid: input.uid,
        page,
        feature: 0,
        since_id: text(at(position, "s")),
      });
      const { list, beside } = listIn(body, ["list", "cards"], "user");
      const pinned = each(at(position, "top"), text);
      const posts = rows(list, "data.list", (row) => postOf(row, input.uid, call.startedAt));
      return {
        rows: onlyOnce(posts, pinned),
        next: list.length > 0 ? after(beside, page, posts, pinned) : null,
        more: (integer(beside.total) ?? 0) > list.length,
        advances: list.length > posts.length,
      };
    }),
} satisfies Connector<typeof cnblog>;

/** The hot search with its headlines first. */
function hotSearches(data: unknown): CnblogHotSearch[] {
  // A dropped row does not change the ranks of the others.
  const numbered = array(at(data, "realtime"))?.map((entry, index) => ({
    entry,
    position: index + 1,
  }));
  const entries = rows(numbered, "data.realtime", ({ entry, position }) =>
    hotSearch(need(object(entry), "data.realtime[]"), position as number),
  );
  const one = at(data, "hotgov");
  const pinned = each([...(array(one) ?? [one]), ...(array(at(data, "hotgovs")) ?? [])], headline);
  return [...firstOfEach(pinned, ({ keyword }) => keyword), ...entries];
}

/** A list of people; both count pages from 0. */
function people(
  call: Call,
  input: { uid: string; limit: number },
  name: string,
): Promise<Answer<CnblogUser[]>> {
  return listedById(call, input, async (position) => {
    const page = integer(position) ?? 0;
    const body = await get(call, `${web}/${name}`, { uid: input.uid, page });
    const { list, beside } = listIn(body, ["users"], "user");
    const isLast = list.length === 0 || integer(beside.next_cursor) === 0;
    return { rows: rows(list, "data.users", user), next: isLast ? undefined : page + 1 };
  });
}

/** A pinned post appears on top and again at its own date; only the first occurrence is delivered. */
function onlyOnce(posts: readonly CnblogPost[], pinned: readonly string[]): CnblogPost[] {
  const seen = new Set(pinned);
  return posts.filter((row) => {
    const isNew = !seen.has(row.id);
    seen.add(row.id);
    return isNew;
  });
}

/** Next position in a user's posts: the next page's number and the mark of this page. */
function after(
  beside: Wire,
  page: number,
  posts: readonly CnblogPost[],
  pinned: readonly string[],
): Json | undefined {
  const mark = id(beside.since_id) ?? id(at(beside.cardlistInfo, "since_id"));
  const nextPage = integer(at(beside.cardlistInfo, "page"));
  const top = [...pinned, ...posts.filter((row) => row.is_pinned === true).map((row) => row.id)];
  const kept = top.length > 0 ? { top } : {};
  if (mark !== undefined && mark !== "0") return { p: page + 1, s: mark, ...kept };
  if (nextPage !== undefined && nextPage > page) return { p: nextPage, ...kept };
  const hasPosition = mark !== undefined || nextPage !== undefined || "since_id" in beside;
  return hasPosition || "cardlistInfo" in beside ? null : undefined;
}
