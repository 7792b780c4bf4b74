import type { professionalNetwork } from "../../../contract/areas/professional-network/index.ts";
import type { Json } from "../../../contract/json.ts";
import type { Answer, Call, Connector } from "../../connector.ts";
import { listedById } from "../../mapping/list.ts";
import { either } from "../../mapping/preference.ts";
import { getFresh } from "../../upstreams/fresh-linkedin/client.ts";
import { getPage } from "../../upstreams/tikhub/linkedin.ts";
import { type Wire, at, found, id, integer, text } from "#wire";
import { comment, job, post, postBy, postKeys } from "./post.map.ts";
import { preference } from "./preference.ts";
import { moreIn, pageIn, thingIn, tokenIn } from "./reply.ts";
import { company, companyKeys, companyNumber, user, userKeys } from "./profiles.map.ts";

const site = "https://www.linkedin.com";
/** Entries that one upstream page covers. */
const step = 50;

export default {
  "professional_network.users.get": ({ public_identifier: name }, call) =>
    either(call, preference, {
      tikhub: async (within) => {
        const body = await getPage(within, "get_user_profile", personPage(name));
        return { data: user(thingIn(body, "user", userKeys), name) };
      },
      "fresh-linkedin": async (within) => {
        const query = { username: name, ...moreOfUser };
        const body = await getFresh(within, "/api/v1/user/profile", query);
        return { data: user(thingIn(body, "user", userKeys), name) };
      },
    }),
  "professional_network.users.posts": (input, call) => {
    const name = input.public_identifier;
    const read = (row: Wire) => postBy(row, name);
    return either(call, preference, {
      tikhub: (within) =>
        byToken(within, input, {
          route: "get_user_posts",
          page: personPage(name),
          query: { type: "posts" },
          thing: "user",
          read,
        }),
      "fresh-linkedin": (within) =>
        byNumber(within, input, {
          path: "/api/v1/user/posts",
          idName: "urn",
          id: () => userId(within, name),
          thing: "user",
          read,
        }),
    });
  },
  "professional_network.companies.get": ({ universal_name: name }, call) =>
    either(call, preference, {
      tikhub: async (within) => {
        const body = await getPage(within, "get_company_profile", companyPage(name));
        return { data: company(thingIn(body, "company", companyKeys), name) };
      },
      "fresh-linkedin": async (within) => ({ data: company(await firm(within, name), name) }),
    }),
  "professional_network.companies.posts": (input, call) => {
    const name = input.universal_name;
    const read = (row: Wire) => postBy(row, name);
    return either(call, preference, {
      tikhub: (within) =>
        byToken(within, input, {
          route: "get_company_posts",
          page: companyPage(name),
          query: { sort_by: input.sort },
          thing: "company",
          read,
        }),
      "fresh-linkedin": (within) =>
        byNumber(within, input, {
          path: "/api/v1/company/posts",
          idName: "company_id",
          id: () => companyId(within, name),
          query: { sort_by: input.sort },
          thing: "company",
          read,
        }),
    });
  },
  "professional_network.companies.jobs": (input, call) =>
    byNumber(call, input, {
      path: "/api/v1/company/jobs",
      idName: "company_id",
      id: () => companyId(call, input.universal_name),
      thing: "company",
      read: job,
    }),
  "professional_network.posts.get": (input, call) =>
    either(call, preference, {
      tikhub: async (within) => {
        const body = await getPage(within, "get_post_detail", postPage(input.post_id));
        return { data: post(thingIn(body, "post", postKeys)) };
      },
      "fresh-linkedin": async (within) => {
        const query = { post_id: numberIn(input.post_id) };
        const body = await getFresh(within, "/api/v1/post/detail", query);
        return { data: post(thingIn(body, "post", postKeys)) };
      },
    }),
  "professional_network.posts.comments": (input, call) => {
    const number = numberIn(input.post_id);
    const read = (row: Wire) => comment(row, number);
    return either(call, preference, {
      tikhub: (within) =>
        byToken(within, input, {
          route: "get_post_comments",
          page: postPage(input.post_id),
          query: { sort_order: input.sort },
          thing: "post",
          read,
        }),
      "fresh-linkedin": (within) =>
        byNumber(within, input, {
          path: "/api/v1/post/comments",
          idName: "post_id",
          id: async () => number,
          query: { sort_order: input.sort },
          thing: "post",
          read,
        }),
    });
  },
} satisfies Connector<typeof professionalNetwork>;

/** The product leaves these out of a profile unless they are asked for. */
const moreOfUser = { include_experiences: true, include_educations: true, include_skills: true };

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
    const { rows, beside, length } = pageIn(
      body,
      { name: listing.thing, isFirst: position === undefined },
      listing.read,
    );
    const token = length > 0 ? tokenIn(beside) : undefined;
    const next: Json | undefined = token && { s: start + step, t: token };
    const isLast = token !== undefined && token === pagination_token;
    return { rows, next: isLast ? null : next, more: length > 0 && moreIn(beside) };
  });
}

interface NumberedListing<Row> {
  path: string;
  /** The parameter for the owner of the list, and its value, which stays in the cursor. */
  idName: "company_id" | "urn" | "post_id";
  id(): Promise<string>;
  query?: Record<string, string>;
  thing: string;
  read: (row: Wire) => Row | undefined;
}

/** A list of the product, whose pages have numbers. */
async function byNumber<Row extends { id: string }>(
  call: Call,
  input: { limit: number },
  listing: NumberedListing<Row>,
): Promise<Answer<Row[]>> {
  const { path, idName, query, thing, read } = listing;
  const start = call.cursor?.u === undefined ? { id: await listing.id(), p: 1 } : undefined;
  return listedById(
    call,
    input,
    async (position) => {
      const id = text(at(position, "id")) ?? "";
      const page = integer(at(position, "p")) ?? 1;
      const pagination_token = text(at(position, "t"));
      const body = await getFresh(call, path, { ...query, [idName]: id, page, pagination_token });
      const { rows, beside, length } = pageIn(body, { name: thing, isFirst: page === 1 }, read);
      // Without a flag the list continues as long as its pages have rows.
      const isMore = length > 0 && (moreIn(beside) ?? true);
      const token = tokenIn(beside);
      const next = { id, p: page + 1, ...(token === undefined ? {} : { t: token }) };
      return { rows, next: isMore ? next : null };
    },
    start,
  );
}

/** A company as the product has it. */
async function firm(call: Call, name: string): Promise<Wire> {
  const body = await getFresh(call, "/api/v1/company/profile", { company: name });
  return thingIn(body, "company", companyKeys);
}

async function companyId(call: Call, name: string): Promise<string> {
  return found(companyNumber(await firm(call, name)), "company");
}

async function userId(call: Call, username: string): Promise<string> {
  const body = await getFresh(call, "/api/v1/user/profile", { username });
  const row = thingIn(body, "user", userKeys);
  return found(text(row.urn) ?? id(row.id), "user");
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
