import type { Sample, SampleRequest } from "../../../sandbox/sample.ts";
import { firm, member, remark, update } from "./records.ts";
import { slice } from "../../../sandbox/vary.ts";
import { wrapped } from "../../../sandbox/tikhub-wrapped.ts";

const base = "/api/v1/linkedin/web_v2";
/** Entries of a sample list; a second page needs more than the largest `limit`. */
const entries = { default: 64, long: 160 };
const pageSize = 50;

const ask = (request: SampleRequest, name: string) => String(request.query?.[name] ?? "");
/** Last part of the page's address. */
const nameOf = (request: SampleRequest) => {
  const path = ask(request, "url").replace(/\/$/, "");
  return decodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
};
const numberOf = (request: SampleRequest) => nameOf(request).replace(/^.*:/, "");

function listOf(make: (request: SampleRequest, index: number) => unknown): Sample {
  return (request) => {
    const total = request.empty ? 0 : request.secondPage ? entries.long : entries.default;
    const offset = Number(ask(request, "start") || 0);
    const data = slice({ total, offset, count: pageSize }, (index) => make(request, index));
    const end = offset + data.length;
    return wrapped(request.path, {
      data,
      paging: {
        start: offset,
        count: data.length,
        ...(end < total ? { pagination_token: `sample-${end}` } : {}),
      },
    });
  };
}

/** Own posts, reposts, and rows of other kinds. */
function postsOf(isCompany: boolean): Sample {
  return listOf((request, index) => {
    const owner = nameOf(request);
    const seed = `posts of ${owner} ${ask(request, "sort_by")}`;
    if (index % 16 === 13) return update(`${seed} liked`, index);
    return {
      ...update(seed, index, { owner, isCompany }),
      ...(index % 16 === 10 ? { is_promoted: true } : {}),
      ...(index % 5 === 3
        ? { reposted_post: update(`${seed} original`, index, { isFull: true }) }
        : {}),
    };
  });
}

export const professionalNetwork: Record<string, Sample> = {
  [`GET ${base}/get_user_profile`]: (request) =>
    wrapped(request.path, request.empty ? {} : member(nameOf(request))),
  [`GET ${base}/get_company_profile`]: (request) =>
    wrapped(request.path, request.empty ? {} : firm(nameOf(request))),
  [`GET ${base}/get_user_posts`]: postsOf(false),
  [`GET ${base}/get_company_posts`]: postsOf(true),
  [`GET ${base}/get_post_detail`]: (request) => {
    const id = numberOf(request);
    return wrapped(
      request.path,
      request.empty
        ? {}
        : {
            ...update(`post ${id}`, 0, { id, isFull: true }),
            reposted_post: update(`original of ${id}`, 0, { isFull: true }),
          },
    );
  },
  [`GET ${base}/get_post_comments`]: listOf((request, index) =>
    remark(`post ${numberOf(request)} ${ask(request, "sort_order")}`, index),
  ),
};
