import type { Sample, SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { firm, member, opening, remark, update } from "./records.ts";
import { slice } from "../../../sandbox/vary.ts";

const entries = { default: 34, long: 120 };
const pageSize = 25;

const ask = (request: SampleRequest, name: string) => String(request.query?.[name] ?? "");

const answered = (data: unknown) => ({ success: true, message: "success", cost: 1, data });

/** A page of a list, whose pages have numbers. */
function listOf(make: (request: SampleRequest, index: number) => unknown): Sample {
  return (request) => {
    const total = request.empty ? 0 : request.secondPage ? entries.long : entries.default;
    const offset = (Number(request.query?.page ?? 1) - 1) * pageSize;
    const data = slice({ total, offset, count: pageSize }, (index) => make(request, index));
    return { ...answered(data), total, has_more: offset + data.length < total };
  };
}

/** Posts carry the number of their owner, of which the samples know no name. */
const postsOf = (idName: string) =>
  listOf((request, index) => {
    const owner = ask(request, idName);
    const author = {
      id: owner,
      name: "Sample Owner",
      type: idName === "urn" ? "person" : "company",
    };
    return { ...update(`posts of ${owner}`, index), author };
  });

/** Sample answers of the RapidAPI product for the professional network, written for this project. */
export const freshLinkedin: Samples = {
  upstream: "fresh-linkedin",
  answers: {
    "GET /api/v1/user/profile": (request) => answered(member(ask(request, "username"))),
    "GET /api/v1/user/posts": postsOf("urn"),
    "GET /api/v1/company/profile": (request) => answered(firm(ask(request, "company"))),
    "GET /api/v1/company/posts": postsOf("company_id"),
    "GET /api/v1/company/jobs": listOf((request, index) =>
      opening(ask(request, "company_id"), index),
    ),
    "GET /api/v1/post/detail": (request) => {
      const id = ask(request, "post_id");
      return answered(update(`post ${id}`, 0, { id, isFull: true }));
    },
    "GET /api/v1/post/comments": listOf((request, index) =>
      remark(`post ${ask(request, "post_id")}`, index),
    ),
  },
  faults: {
    not_found: { status: 404, body: { success: false, message: "company not found" } },
    upstream_error: { status: 200, body: { success: false, message: "sample fault" } },
    upstream_unavailable: { status: 503, body: { message: "service unavailable" } },
  },
};
