import { GatewayError } from "../../../contract/errors.ts";
import type { threads } from "../../../contract/areas/threads/index.ts";
import type { Json } from "../../../contract/json.ts";
import type { Answer, Call, Connector } from "../../connector.ts";
import { listedById, wholeById } from "../../mapping/list.ts";
import { get, unwrap } from "../../upstreams/tikhub/client.ts";
import { ShapeError, type Wire, at, defined, found, object, rows, text } from "#wire";
import { mediaIdOf, shortcodeOf } from "../../upstreams/tikhub/shortcode.map.ts";
import { absent, isNothing } from "../../upstreams/tikhub/instagram-reply.ts";
import { type Item, itemsOf, listIn, pageIn } from "./reply.ts";
import { isTombstone, numberOf, post } from "./posts.map.ts";
import { listedUser, user } from "./users.map.ts";

const web = "/api/v1/threads/web";

export default {
  "threads.users.get": async (input, call) => ({ data: user(await profile(call, input.username)) }),
  "threads.users.posts": (input, call) =>
    ofUser(call, input, "fetch_user_posts", (userId) => ({
      // Other authors' posts in a chain are context; the first post counts whoever wrote it.
      choose: ([first, ...rest]) => [
        ...(first ? [first] : []),
        ...rest.filter((item) => numberOf(item.post.user) === userId),
      ],
      read: post,
    })),
  "threads.users.replies": (input, call) =>
    ofUser(call, input, "fetch_user_replies", () => ({
      choose: (items) => items.slice(-1),
      read: reply,
    })),
  "threads.users.reposts": (input, call) =>
    ofUser(call, input, "fetch_user_reposts", () => ({
      choose: (items) => items.slice(0, 1),
      read(row) {
        const record = post(row);
        return record && { ...record, reposted_by_username: input.username };
      },
    })),
  "threads.posts.get": async (input, call) => {
    const number = numberFrom(input.post_id);
    const body = await detail(call, number);
    if (isNothing(body)) throw absent("post");
    return { data: found(requestedPost(body, number), "post") };
  },
  "threads.posts.replies": (input, call) => {
    const root = numberFrom(input.post_id);
    return listedById(call, input, async (position) => {
      const query = { post_id: root, end_cursor: text(position) };
      const body = await get(call, `${web}/fetch_post_comments`, query);
      return pageIn(body, {
        thing: "post",
        // The post's own thread contains the posts above it and its author's continuation.
        choose: (items) => (items.some((item) => numberOf(item.post) === root) ? [] : items),
        // Only the first post of a chain answers the root: one above may be gone, and then has no number.
        read: (row, parent) => reply(row, parent === undefined ? root : parent),
      });
    });
  },
  "threads.search.top": (input, call) => search(call, input, "search_top"),
  "threads.search.recent": (input, call) => search(call, input, "search_recent"),
  "threads.search.profiles": async (input, call) =>
    wholeById(call, (await profiles(call, input.q)).map(listedUser).slice(0, input.limit)),
} satisfies Connector<typeof threads>;

/** The number behind either form of a post's id. */
function numberFrom(postId: string): string {
  return found(postId.length === 11 ? mediaIdOf(postId) : postId, "post");
}

function reply(row: Wire, parent: Item["parent"]) {
  const record = post(row);
  return record && { ...record, ...defined({ reply_to_post_id: parent ?? undefined }) };
}

function search(call: Call, input: { q: string; limit: number }, route: string) {
  return listedById(call, input, async (position) => {
    const query = { query: input.q, end_cursor: text(position) };
    const body = await get(call, `${web}/${route}`, query);
    return pageIn(body, { read: post });
  });
}

/** A list of a user; the user's number is looked up once and then stays in the cursor. */
async function ofUser<Row extends { id: string }>(
  call: Call,
  input: { username: string; limit: number },
  route: string,
  listing: (userId: string) => Omit<Parameters<typeof pageIn<Row>>[1], "thing">,
): Promise<Answer<Row[]>> {
  const start = call.cursor?.u === undefined ? { id: await idOf(call, input.username) } : undefined;
  return listedById(
    call,
    input,
    async (position) => {
      const user_id = text(at(position, "id")) ?? "";
      const query = { user_id, end_cursor: text(at(position, "at")) };
      const body = await get(call, `${web}/${route}`, query);
      const page = pageIn(body, { ...listing(user_id), thing: "user" });
      const next: Json | undefined = page.next && { id: user_id, at: page.next as string };
      return { ...page, next };
    },
    start,
  );
}

async function idOf(call: Call, username: string): Promise<string> {
  const { id, is_private } = user(await profile(call, username));
  if (is_private === true) throw absent("public user");
  return id;
}

/** Looks a user up by name. The look-up sometimes fails for existing names, which the search then finds. */
async function profile(call: Call, username: string): Promise<Wire> {
  const body = await unlessFaulty(get(call, `${web}/fetch_user_info`, { username }));
  if (body !== undefined) return found(userIn(body), "user");
  const hits = await profiles(call, username);
  const hit = hits.find((row) => text(row.username)?.toLowerCase() === username);
  const user_id = found(numberOf(hit), "user");
  const byNumber = await get(call, `${web}/fetch_user_info_by_id`, { user_id });
  return found(userIn(byNumber), "user");
}

/** The user of a reply; undefined where there is none. */
function userIn(body: unknown): Wire | undefined {
  const reply = unwrap(body, "user", "pk");
  const row = object(reply?.user) ?? (reply?.pk === undefined ? undefined : reply);
  if (row || isNothing(body)) return row;
  throw new ShapeError("data.user");
}

async function profiles(call: Call, query: string): Promise<Wire[]> {
  const body = await get(call, `${web}/search_profiles`, { query });
  return rows(listIn(body).list, "edges", (entry) => {
    const row = object(entry.node) ?? entry;
    if (numberOf(row) === undefined) throw new ShapeError("edges[].node.pk");
    return row;
  });
}

/** A post with its thread, by number or, where that fails, by short code. */
async function detail(call: Call, number: string): Promise<unknown> {
  const post_id = found(shortcodeOf(number), "post");
  const body = await unlessFaulty(get(call, `${web}/fetch_post_detail`, { post_id: number }));
  return body ?? get(call, `${web}/fetch_post_detail_v2`, { post_id });
}

/** The requested post among those of its thread. */
function requestedPost(body: unknown, number: string) {
  const items = listIn(body, "post").list.flatMap(
    (entry): (Item | undefined)[] => itemsOf(entry) ?? [undefined],
  );
  const item = items.find((candidate) => numberOf(candidate?.post) === number);
  if (item) return isTombstone(item.post) ? undefined : post(item.post);
  // A post without a readable number may have been the requested one; a deleted one is not found either way.
  const isUnread = (other: Item | undefined) =>
    numberOf(other?.post) === undefined && !(other && isTombstone(other.post));
  if (items.some(isUnread)) throw new ShapeError("post.pk");
  return undefined;
}

/** The answer; undefined where the upstream failed. */
async function unlessFaulty(request: Promise<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([request]);
  if (outcome.status === "fulfilled") return outcome.value;
  const reason: unknown = outcome.reason;
  if (reason instanceof GatewayError && reason.type === "upstream_error") return undefined;
  throw reason;
}
