import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { listed, moment, number, totalOf, word } from "./rows.ts";

/** Sample answers of an instance of Mastodon, written for this project. */

const site = "https://social.example";

function account(id: string, acct: string) {
  return {
    id,
    username: acct.split("@")[0],
    acct,
    display_name: `${word(acct)} ${word(acct, 2)}`,
    locked: number(0, 1, acct, "locked") === 1,
    bot: number(0, 1, acct, "bot") === 1,
    created_at: moment(number(1, 900, acct)),
    note: `<p>Builds ${word(acct, 3)}</p><p>and ${word(acct, 4)}</p>`,
    url: `${site}/@${acct}`,
    avatar: `${site}/avatars/${id}.png`,
    header: `${site}/headers/${id}.png`,
    followers_count: number(1, 9000, acct, "followers"),
    following_count: number(1, 900, acct, "following"),
    statuses_count: number(1, 9000, acct, "statuses"),
    fields: [
      {
        name: "Page",
        value: `<a href="https://${word(acct)}.example/">page</a>`,
        verified_at: moment(3),
      },
    ],
  };
}

const first = 114_000_000_000_000_000n;
const idOf = (index: number) => String(first - BigInt(index) * 1000n);
const indexOf = (id: string | undefined) =>
  id === undefined ? 0 : Number((first - BigInt(id)) / 1000n) + 1;

function status(id: string, index: number, more: object = {}) {
  return {
    id,
    created_at: moment(index),
    edited_at: moment(index, ".500"),
    in_reply_to_id: idOf(index + 7000),
    sensitive: number(0, 1, id, "sensitive") === 1,
    spoiler_text: `About ${word(id, "warning")}`,
    visibility: "public",
    language: "en",
    uri: `${site}/users/sam/statuses/${id}`,
    url: `${site}/@sam/${id}`,
    replies_count: number(1, 90, id, "replies"),
    reblogs_count: number(1, 90, id, "reblogs"),
    favourites_count: number(1, 900, id, "favourites"),
    quotes_count: number(1, 9, id, "quotes"),
    content: `<p>The ${word(id)} &amp; the ${word(id, 2)}</p><p>#harbour</p>`,
    reblog: null,
    account: account("7", "sam"),
    quote: { state: "accepted", quoted_status: { id: idOf(index + 8000) } },
    media_attachments: [
      {
        id: `1${index}`,
        type: ["image", "video", "gifv", "audio"][index % 4],
        url: `${site}/media/${index}`,
        preview_url: `${site}/small/${index}`,
        description: `A ${word(id, "alt")}`,
        meta: { original: { width: 1200, height: 900 } },
      },
    ],
    mentions: [{ id: "9", username: "kim", acct: "kim@other.example" }],
    tags: [{ name: "harbour", url: `${site}/tags/harbour` }],
    card: {
      url: `https://${word(id)}.example/`,
      title: `The ${word(id, "title")}`,
      description: `On ${word(id, "page")}`,
      type: "link",
      image: `${site}/cards/${index}.png`,
    },
    ...more,
  };
}

const before = ({ query }: SampleRequest) => query?.max_id as string | undefined;

const statuses = (request: SampleRequest) =>
  listed(request, indexOf(before(request)), (index) => {
    const own = status(idOf(index), index);
    if (index % 3 !== 1) return own;
    const { reblog: _none, ...original } = status(String(index + 500), index);
    return { ...own, reblog: original };
  });

const plainStatuses = (request: SampleRequest) =>
  listed(request, indexOf(before(request)), (index) => status(idOf(index), index));

/** The ids of these pages count rows here. */
const people = (request: SampleRequest) =>
  listed(request, Number(request.query?.max_id ?? 0), (index) =>
    account(String(4000 + index), `${word(index)}${index}@other.example`),
  );

function nextPeople(request: SampleRequest): Record<string, string> {
  const end = Number(request.query?.max_id ?? 0) + Number(request.query?.limit);
  if (end >= totalOf(request)) return {};
  const address = `${site}${request.path}`;
  return {
    link: `<${address}?limit=80&max_id=${end}>; rel="next", <${address}?since_id=1>; rel="prev"`,
  };
}

const history = (...seed: (string | number)[]) => [
  {
    day: "1774915200",
    accounts: String(number(1, 90, ...seed, "accounts")),
    uses: String(number(90, 900, ...seed, "uses")),
  },
];

export const mastodon: Samples = {
  upstream: "mastodon",
  answers: {
    "GET /api/v1/accounts/lookup": ({ query = {} }) =>
      account(String(number(100, 900, String(query.acct))), String(query.acct)),
    "GET /api/v1/accounts/{id}/statuses": statuses,
    "GET /api/v1/accounts/{id}/followers": people,
    "GET /api/v1/accounts/{id}/following": people,
    "GET /api/v1/statuses/{id}": ({ parts }) => {
      const id = parts.id as string;
      const own = status(id, 4);
      if (!id.startsWith("3")) return own;
      const { reblog: _none, ...original } = status("503", 4);
      return { ...own, account: account("8", "kim"), reblog: original };
    },
    "GET /api/v1/statuses/{id}/context": ({ parts, empty, secondPage }) => ({
      ancestors: empty ? [] : [status("41", 90)],
      descendants: Array.from({ length: empty ? 0 : secondPage ? 60 : 30 }, (_, index) =>
        status(String(500 + index), index, {
          in_reply_to_id: index === 0 ? parts.id : String(499 + index),
        }),
      ),
    }),
    "GET /api/v1/timelines/public": plainStatuses,
    "GET /api/v1/timelines/tag/{tag}": plainStatuses,
    "GET /api/v2/search": (request) => ({ accounts: people(request), statuses: [], hashtags: [] }),
    "GET /api/v1/trends/tags": (request) =>
      listed(request, 0, (index) => ({
        id: String(index),
        name: `${word(index)}${index}`,
        url: `${site}/tags/${word(index)}${index}`,
        history: history("tag", index),
      })),
    "GET /api/v1/trends/links": (request) =>
      listed(request, 0, (index) => ({
        url: `https://${word(index)}.example/${index}`,
        title: `The ${word(index, "title")}`,
        description: `About ${word(index, "page")}`,
        type: "link",
        provider_name: `${word(index, "site")} news`,
        language: "en",
        image: `${site}/cards/${index}.png`,
        history: history("link", index),
      })),
    "GET /api/v2/instance": () => ({
      domain: "social.example",
      title: "Sample instance",
      version: "4.5.0",
      description: "<p>A place for samples</p>",
      usage: { users: { active_month: 812 } },
      thumbnail: { url: `${site}/thumbnail.png` },
      languages: ["en", "fi"],
      registrations: { enabled: true, approval_required: true },
      rules: [{ id: "1", text: "Be kind" }],
    }),
  },
  headers: {
    "GET /api/v1/accounts/{id}/followers": nextPeople,
    "GET /api/v1/accounts/{id}/following": nextPeople,
  },
  faults: {
    not_found: { status: 404, body: { error: "Record not found" } },
    upstream_error: { status: 418, body: undefined },
    upstream_unavailable: { status: 503, body: { error: "Down" } },
  },
};
