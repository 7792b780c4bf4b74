import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

/** Sample answers of Stack Exchange, written for this project. */

const total = { usual: 45, long: 240 };
const site = "https://questions.example";

function items<T>(
  { query = {}, empty, secondPage }: SampleRequest,
  make: (index: number) => T,
): object {
  const rows = empty ? 0 : secondPage ? total.long : total.usual;
  const [page, count] = [Number(query.page ?? 1), Number(query.pagesize)];
  return {
    items: slice({ total: rows, offset: (page - 1) * count, count }, make),
    has_more: page * count < rows,
    quota_max: 300,
    quota_remaining: 251,
  };
}

const only = (item: object) => ({
  items: [item],
  has_more: false,
  quota_max: 300,
  quota_remaining: 9,
});
const time = (v: ReturnType<typeof vary>, name: string) =>
  v.int(name, 1_600_000_000, 1_770_000_000);

function owner(v: ReturnType<typeof vary>) {
  const user_id = v.int("owner", 8_000_000, 8_999_999);
  return {
    account_id: user_id + 1,
    reputation: v.int("reputation", 1, 90_000),
    user_id,
    user_type: "registered",
    profile_image: `${site}/pictures/${user_id}.png`,
    display_name: `${v.pick("owner name", words)} &amp; ${user_id}`,
    link: `${site}/users/${user_id}`,
  };
}

const body = (v: ReturnType<typeof vary>) =>
  `<p>How does <code>${v.pick("body", words)}</code> work?</p>`;

function question(id: number, { query }: SampleRequest) {
  const v = vary("question", id);
  const asked = typeof query?.tagged === "string" ? query.tagged.split(";") : ["javascript"];
  return {
    tags: [...asked, v.pick("tag", words)],
    owner: owner(v),
    is_answered: true,
    view_count: v.int("views", 10, 90_000),
    closed_date: time(v, "closed"),
    accepted_answer_id: v.int("accepted", 9_000_000, 9_999_999),
    answer_count: v.int("answers", 1, 30),
    score: v.int("score", -3, 900),
    last_activity_date: time(v, "activity"),
    creation_date: time(v, "creation"),
    last_edit_date: time(v, "edit"),
    question_id: id,
    content_license: "CC BY-SA 4.0",
    link: `${site}/questions/${id}/sample`,
    closed_reason: "Duplicate",
    title: `Why is &quot;${v.pick("title", words)}&quot; number ${id}?`,
    ...(query?.filter === "withbody" ? { body: body(v) } : {}),
  };
}

function answer(id: number, question_id: number) {
  const v = vary("answer", id);
  return {
    owner: owner(v),
    is_accepted: v.int("accepted", 0, 1) === 1,
    score: v.int("score", -3, 900),
    last_activity_date: time(v, "activity"),
    last_edit_date: time(v, "edit"),
    creation_date: time(v, "creation"),
    answer_id: id,
    question_id,
    content_license: "CC BY-SA 4.0",
    body: body(v),
  };
}

function user(id: number) {
  const v = vary("stack user", id);
  return {
    badge_counts: {
      bronze: v.int("bronze", 1, 90),
      silver: v.int("silver", 1, 50),
      gold: v.int("gold", 1, 9),
    },
    account_id: id + 1,
    is_employee: v.int("employee", 0, 1) === 1,
    last_access_date: time(v, "access"),
    reputation: v.int("reputation", 1, 90_000),
    creation_date: time(v, "creation"),
    user_type: "registered",
    user_id: id,
    location: v.pick("location", ["Bremen", "Lyon", "Osaka"]),
    website_url: `https://${v.pick("website", words)}.example`,
    link: `${site}/users/${id}`,
    profile_image: `${site}/pictures/${id}.png`,
    display_name: `${v.pick("name", words)} ${id}`,
  };
}

export const stackExchange: Samples = {
  upstream: "stack-exchange",
  answers: {
    "GET /search/advanced": (request) =>
      items(request, (index) => question(7_100_000 + index, request)),
    "GET /questions": (request) => items(request, (index) => question(7_100_000 + index, request)),
    "GET /questions/{id}": (request) => only(question(Number(request.parts.id), request)),
    "GET /questions/{id}/answers": (request) =>
      items(request, (index) => answer(9_100_000 + index, Number(request.parts.id))),
    "GET /tags": (request) =>
      items(request, (index) => {
        const v = vary("tag", index);
        return {
          has_synonyms: v.int("synonyms", 0, 1) === 1,
          is_moderator_only: v.int("moderator", 0, 1) === 1,
          is_required: v.int("required", 0, 1) === 1,
          count: v.int("count", 1, 90_000),
          name: `${v.pick("name", words)}-${index}`,
        };
      }),
    "GET /users": (request) => items(request, (index) => user(8_100_000 + index)),
    "GET /users/{id}": ({ parts }) => only(user(Number(parts.id))),
  },
  faults: {
    not_found: {
      status: 404,
      body: { error_id: 404, error_message: "no such thing", error_name: "no_method" },
    },
    upstream_error: { status: 418, body: undefined },
    upstream_unavailable: {
      status: 503,
      body: { error_id: 503, error_message: "down", error_name: "temporarily_unavailable" },
    },
  },
};
