import type { professionalNetwork } from "../../../contract/areas/professional-network/index.ts";
import type { Json } from "../../../contract/json.ts";
import type { Answer, Call, Connector } from "../../connector.ts";
import { listedById } from "../../mapping/list.ts";
import { getFresh } from "../../upstreams/fresh-linkedin/client.ts";
import { getPage } from "../../upstreams/tikhub/linkedin.ts";
import { type Wire, at, found, integer, text } from "#wire";
import { comment, job, post, postBy, postKeys } from "./post.map.ts";
import { moreIn, pageIn, thingIn, tokenIn } from "./reply.ts";
import { company, companyKeys, companyNumber, user, userKeys } from "./profiles.map.ts";

const site = "https://www.linkedin.com";
/** Entries that one upstream page covers. */
const step = 50;

export default {
  "professional_network.users.get": async (input, call) => {
    const body = await getPage(call, "get_user_profile", personPage(input.public_identifier));
    return { data: user(thingIn(body, "user", userKeys), input.public_identifier) };
  },
  "professional_network.users.posts": (input, call) =>
    byToken(call, input, {
      route: "get_user_posts",
      page: personPage(input.public_identifier),
      query: { type: "posts" },
      thing: "user",
      read: (row) => postBy(row, input.public_identifier),
    }),
  "professional_network.companies.get": async (input, call) => {
    const body = await getPage(call, "get_company_profile", companyPage(input.universal_name));
    return { data: company(thingIn(body, "company", companyKeys), input.universal_name) };
  },
  "professional_network.companies.posts": (input, call) =>
    byToken(call, input, {
      route: "get_company_posts",
      page: companyPage(input.universal_name),
      query: { sort_by: input.sort },
      thing: "company",
      read: (row) => postBy(row, input.universal_name),
    }),
  "professional_network.companies.jobs": async (input, call) => {
    const start =
      call.cursor?.u === undefined
        ? { id: await companyId(call, input.universal_name), p: 1 }
        : undefined;
    return listedById(
      call,
      input,
      async (position) => {
        const company_id = text(at(position, "id")) ?? "";
        const page = integer(at(position, "p")) ?? 1;
        const body = await getFresh(call, "/api/v1/company/jobs", { company_id, page });
        const { rows, beside, length } = pageIn(body, "company", job);
        // Without a flag the list continues as long as its pages have rows.
        const isMore = length > 0 && (moreIn(beside) ?? true);
        return { rows, next: isMore ? { id: company_id, p: page + 1 } : null };
      },
      start,
    );
  },
  "professional_network.posts.get": async (input, call) => {
    const body = await getPage(call, "get_post_detail", postPage(input.post_id));
    return { data: post(thingIn(body, "post", postKeys)) };
  },
  "professional_network.posts.comments": (input, call) =>
    byToken(call, input, {
      route: "get_post_comments",
      page: postPage(input.post_id),
      query: { sort_order: input.sort },
      thing: "post",
      read: (row) => comment(row, numberIn(input.post_id)),
    }),
} satisfies Connector<typeof professionalNetwork>;

interface Listing<Row> {
  route: string;
  page: { url: string; name: string };
  query: Record<string, string>;
  thing: string;
  read: (row: Wire) => Row | undefined;
}

/** A list paginated by a token and a start that grows by fifty. */
function byToken<Row extends { id: string }>(
  call: Call,
  input: { limit: number },
  listing: Listing<Row>,
): Promise<Answer<Row[]>> {
  return listedById(call, input, async (position) => {
    const start = integer(at(position, "s")) ?? 0;
    const pagination_token = text(at(position, "t"));
    const query = { ...listing.query, start, pagination_token };
    const body = await getPage(call, listing.route, listing.page, query);
    const { rows, beside, length } = pageIn(body, listing.thing, listing.read);
    const token = length > 0 ? tokenIn(beside) : undefined;
    const next: Json | undefined = token && { s: start + step, t: token };
    const isLast = token !== undefined && token === pagination_token;
    return { rows, next: isLast ? null : next, more: length > 0 && moreIn(beside) };
  });
}

async function companyId(call: Call, name: string): Promise<string> {
  const body = await getFresh(call, "/api/v1/company/profile", { company: name });
  return found(companyNumber(thingIn(body, "company", companyKeys)), "company");
}

function personPage(name: string) {
  return { url: `${site}/in/${encodeURIComponent(name)}/`, name };
}

function companyPage(name: string) {
  return { url: `${site}/company/${encodeURIComponent(name)}/`, name };
}

function postPage(given: string) {
  const name = given.startsWith("urn:") ? given : `urn:li:activity:${given}`;
  return { url: `${site}/feed/update/${name}/`, name };
}

function numberIn(given: string): string {
  return given.slice(given.lastIndexOf(":") + 1);
}
