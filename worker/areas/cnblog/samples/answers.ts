import type { Sample, SampleRequest } from "../../../sandbox/sample.ts";
import { mobilePerson, person, remark, status, uidOf } from "./records.ts";
import { hotSearch } from "./weibo.ts";
import { slice } from "../../../sandbox/vary.ts";
import { wrapped } from "../../../sandbox/tikhub-wrapped.ts";

const web = "/api/v1/weibo/web_v2";
/** Entries of a sample list; a second page needs more than the largest `limit`. */
const entries = { default: 34, long: 120 };
const pageSize = 20;

const ask = (request: SampleRequest, name: string) => String(request.query?.[name] ?? "");
const totalOf = (request: SampleRequest) =>
  request.empty ? 0 : request.secondPage ? entries.long : entries.default;
const isOdd = (digits: string) =>
  Array.from(digits).reduce((sum, d) => sum + Number(d), 0) % 2 === 1;

/** People of a list whose pages are counted from 0. */
function people(seed: string): Sample {
  return (request) => {
    const total = totalOf(request);
    const offset = Number(ask(request, "page")) * pageSize;
    const users = slice({ total, offset, count: pageSize }, (index) =>
      person(uidOf(seed, ask(request, "uid"), index), index),
    );
    const end = offset + users.length;
    return wrapped(request.path, {
      ok: 1,
      users,
      total_number: total,
      next_cursor: end < total ? end : 0,
      previous_cursor: 0,
    });
  };
}

export const cnblog: Record<string, Sample> = {
  [`GET ${web}/fetch_hot_search`]: (request) =>
    wrapped(request.path, { ok: 1, data: hotSearch(request.empty) }),
  [`GET ${web}/fetch_post_detail`]: (request) => {
    const id = ask(request, "id");
    // The first digit decides the kind of the post.
    const kind = [0, 1, 0, 3, 3][Number(id.slice(0, 1)) % 5] ?? 0;
    return wrapped(
      request.path,
      request.empty
        ? { ok: 0, msg: "这里还没有内容" }
        : { ok: 1, ...status(`post ${id}`, kind, { id, isPinned: true, hasLongText: true }) },
    );
  },
  [`GET ${web}/fetch_post_comments`]: (request) => {
    const total = totalOf(request);
    const offset = Number(ask(request, "max_id").slice(-4) || 0);
    const data = slice({ total, offset, count: pageSize }, (index) =>
      remark(`post ${ask(request, "id")}`, index),
    );
    const end = offset + data.length;
    return wrapped(request.path, {
      ok: 1,
      filter_group: [],
      data,
      max_id: end < total ? `13853${String(end).padStart(12, "0")}` : 0,
      total_number: total,
      trendsText: "已加载全部评论",
    });
  },
  [`GET ${web}/fetch_user_info`]: (request) => {
    const uid = ask(request, "uid");
    const data = isOdd(uid) ? { userInfo: mobilePerson(uid, 1) } : { user: person(uid, 0) };
    return wrapped(request.path, request.empty ? { ok: 0 } : { ok: 1, data });
  },
  [`GET ${web}/fetch_user_fans`]: people("fan"),
  [`GET ${web}/fetch_user_following`]: people("followed"),
  [`GET ${web}/fetch_user_posts`]: (request) => {
    const total = totalOf(request);
    const uid = ask(request, "uid");
    const offset = (Number(ask(request, "page")) - 1) * pageSize;
    const list = slice({ total, offset, count: pageSize }, (index) => ({
      ...status(`user ${uid}`, index, { uid, isPinned: index === 0 }),
      ...(index % 16 === 11 ? { title: { text: "他赞过的微博" } } : {}),
      ...(index % 16 === 14 ? { promotion: { type: "ad" } } : {}),
    }));
    const end = offset + list.length;
    return wrapped(request.path, {
      ok: 1,
      data: {
        since_id: end < total ? `46461318232${String(end).padStart(5, "0")}` : "",
        list,
        total,
      },
    });
  },
};
