import { describe, expect, test } from "vitest";
import type { SampleRequest, Samples } from "../../../worker/sandbox/sample.ts";
import type { Wire } from "#wire";
import { expectValues } from "../input.ts";
import { playToEnd } from "../play.ts";
import { found as answered, tikhubAnswers } from "../tikhub-answers.ts";

const base = "/api/v1/linkedin/web_v2";
const area = "professional_network";
const routes: Record<string, string> = {
  "users.get": "get_user_profile",
  "users.posts": "get_user_posts",
  "companies.get": "get_company_profile",
  "companies.posts": "get_company_posts",
  "posts.get": "get_post_detail",
  "posts.comments": "get_post_comments",
};

const found = (name: string, input: Record<string, unknown>, answer: unknown) =>
  answered(`${area}.${name}`, input, { [`${base}/${routes[name]}`]: answer });

const userOf = async (row: Wire) =>
  (await found("users.get", { public_identifier: "Jane" }, { full_name: "Jane", ...row })).data;
const companyOf = async (row: Wire) =>
  (await found("companies.get", { universal_name: "x-y" }, { name: "X", ...row })).data;
const postNumber = "7300000000000000123";
const postOf = async (row: Wire) =>
  (await found("posts.get", { post_id: postNumber }, { id: postNumber, ...row })).data;

describe("professional-network records", () => {
  test.each([
    ["full", { location: "Leeds, Sampleland" }, { full: "Leeds, Sampleland" }],
    [
      "parts",
      { location: { city: "Leeds", country_code: "XS" } },
      { city: "Leeds", country_code: "XS" },
    ],
    ["fields beside", { city: "Leeds" }, { city: "Leeds" }],
    ["nothing", { location: [] }, undefined],
  ])("professional-network surprise 2: a location as %s", async (_name, row, location) => {
    expect((await userOf(row)).location).toEqual(location);
  });

  test("professional-network surprise 2: industries, sizes and offices in several forms", async () => {
    expect(
      await companyOf({
        industry: "Food, drink",
        specialties: "a, b,",
        company_size: "10,001+ employees",
        headquarters: "Leeds",
        founded_on: { year: 1999 },
      }),
    ).toMatchObject({
      industries: ["Food, drink"],
      specialties: ["a", "b"],
      employee_count_range: { start: 10_001 },
      headquarters: { full: "Leeds" },
      founded_year: 1999,
    });
    expect(
      await companyOf({
        industries: ["a", "b"],
        company_size: "51-200",
        staff_count: "1,234",
        hq: { city: "Leeds", state: "Midlands" },
      }),
    ).toMatchObject({
      industries: ["a", "b"],
      employee_count_range: { start: 51, end: 200 },
      employee_count: 1234,
      headquarters: { city: "Leeds", region: "Midlands" },
    });
  });

  test("professional-network surprise 2: the other dialect of names", async () => {
    const found = await userOf({
      full_name: "",
      firstName: "Jane",
      lastName: "Doe",
      publicIdentifier: "jane-doe",
      occupation: "Baker",
      followers_count: 3,
      experience: [
        { position: "Old", end_date: "2020-03" },
        { title: "New", company_name: "W" },
      ],
    });
    expect(found).toMatchObject({
      public_identifier: "jane-doe",
      display_name: "Jane Doe",
      headline: "Baker",
      follower_count: 3,
      current_company: { name: "W" },
      share_url: "https://www.linkedin.com/in/jane-doe/",
    });
    expect(found.experiences).toEqual([
      { title: "Old", end: { year: 2020, month: 3 } },
      { title: "New", company: { name: "W" } },
    ]);
  });

  test("a page's name is decoded, and an internal id in its place is no name", async () => {
    const named = {
      public_identifier: "josé",
      share_url: "https://www.linkedin.com/in/jos%C3%A9/",
    };
    for (const row of [
      { public_identifier: "jos%C3%A9" },
      { url: "https://www.linkedin.com/in/jos%C3%A9/" },
      { username: "ACoAAB1234567", slug: "josé" },
    ]) {
      expect(await userOf(row)).toMatchObject(named);
    }
    expect(await userOf({ url: "https://www.linkedin.com/in/50%-off/" })).toMatchObject({
      public_identifier: "50%-off",
    });
    const jobs = [
      { company: "W", company_url: "https://www.linkedin.com/company/1441/" },
      { company: { name: "V", url: "https://www.linkedin.com/company/h%26m" } },
    ];
    expect((await userOf({ experiences: jobs })).experiences).toEqual([
      { company: { name: "W", id: "1441" } },
      { company: { name: "V", universal_name: "h&m" } },
    ]);
  });

  test("professional-network surprise 3: the widest picture, or the only one", async () => {
    const avatar = [{ width: 100, url: "s" }, { width: 400, url: "l" }, { width: 800 }];
    expect(await userOf({ avatar, cover: "c" })).toMatchObject({
      avatar_url: "l",
      cover_image_url: "c",
    });
  });

  test("professional-network surprise 4: the time of a post, else the time in its number", async () => {
    const derived = Number((BigInt(postNumber) >> 22n) / 1000n);
    expect(await postOf({ posted_at: "2mo" })).toMatchObject({ create_time: derived });
    expect(await postOf({ created_at: "2026-07-01T00:00:00Z" })).toMatchObject({
      create_time: 1_782_864_000,
    });
    expect(await postOf({ created_at: "2026-07-01 00:00:00" })).toMatchObject({
      create_time: 1_782_864_000,
    });
    expect(await postOf({ created_at: 1_782_864_000_123 })).toMatchObject({
      create_time: 1_782_864_000,
    });
    const { data } = await found(
      "posts.comments",
      { post_id: postNumber },
      { data: [{ id: "1", comment: "x", posted_at: "3d" }] },
    );
    expect(data).toEqual([{ id: "1", post_id: postNumber, text: "x" }]);
  });

  test.each([
    ["users.get", { public_identifier: "jane" }, {}],
    ["users.get", { public_identifier: "jane" }, null],
    ["users.get", { public_identifier: "jane" }, { is_premium: false }],
    ["companies.get", { universal_name: "x" }, { data: {} }],
    ["posts.get", { post_id: postNumber }, {}],
    ["users.posts", { public_identifier: "jane" }, null],
    ["users.posts", { public_identifier: "jane" }, { data: {} }],
  ])(
    "professional-network surprise 5: %s of %j with %j is not found",
    async (name, input, answer) => {
      expect((await found(name, input, answer)).played).toMatchObject({ type: "not_found" });
    },
  );

  test("professional-network surprise 5: data that is no object does not fit", async () => {
    const { played } = await found("users.get", { public_identifier: "jane" }, "gone");
    expect(played).toMatchObject({ type: "response_shape_error" });
  });

  test("professional-network surprise 7: 500+ connections is a floor", async () => {
    expect(await userOf({ connections: "500+" })).toMatchObject({
      connection_count: 500,
      connection_count_is_minimum: true,
    });
    const exact = await userOf({ connections_count: "1,234" });
    expect(exact).toMatchObject({ connection_count: 1234 });
    expect(exact).not.toHaveProperty("connection_count_is_minimum");
  });
});

describe("professional-network lists", () => {
  const by = (name: string) => ({ author: { url: `https://www.linkedin.com/in/${name}/?x=1` } });

  test("professional-network surprise 6: rows of other owners are left out", async () => {
    const answer = {
      data: [
        { id: "73001", ...by("Jane") },
        { id: "73002", ...by("jane"), is_promoted: true },
        { id: "73003", ...by("other") },
        { id: "73004", ...by("other"), is_repost: true },
        {
          id: "73005",
          author: { universal_name: "jane" },
          reshared_post: { urn: "urn:li:activity:73006" },
        },
      ],
    };
    const { data } = await found("users.posts", { public_identifier: "jane" }, answer);
    expect(data).toMatchObject([
      { id: "73001" },
      { id: "73004" },
      { id: "73005", reposted_post: { id: "73006" } },
    ]);
  });

  test("professional-network surprise 6: the owner is known in every form of the author", async () => {
    const posts = (name: string, author: Wire, other: Wire = {}) =>
      found(name, other, { data: [{ id: "73001", author }] });
    const user = { public_identifier: "josé" };
    for (const author of [
      by("jos%C3%A9").author,
      by("ACoAAB1234567").author,
      { public_identifier: "Jos%C3%A9" },
      { public_identifier: "ACoAAB1234567" },
    ]) {
      expect((await posts("users.posts", author, user)).data).toMatchObject([{ id: "73001" }]);
    }
    const firm = { url: "https://www.linkedin.com/company/1441/" };
    const { data } = await posts("companies.posts", firm, { universal_name: "x-y" });
    expect(data).toMatchObject([{ id: "73001" }]);
  });

  test("professional-network surprise 8: start and token together, up to the first empty page", async () => {
    const { samples, requests } = tikhubAnswers({
      [`${base}/get_company_posts`]: ({ query }: SampleRequest) => ({
        items: query?.start === 100 ? [] : [{ id: `7300${String(query?.start)}` }],
        paging: { pagination_token: `after ${String(query?.start)}` },
      }),
    });
    const input = { universal_name: "X-Y", sort: "top", limit: 1 };
    const pages = await playToEnd<{ id: string }>(`${area}.companies.posts`, input, { samples });
    expect(pages.flat().map(({ id }) => id)).toEqual(["73000", "730050"]);
    const url = "https://www.linkedin.com/company/x-y/";
    expect(requests.map(({ query }) => query)).toEqual([
      { url, sort_by: "top", start: 0, pagination_token: undefined },
      { url, sort_by: "top", start: 50, pagination_token: "after 0" },
      { url, sort_by: "top", start: 100, pagination_token: "after 50" },
    ]);
  });

  test.each([[null], [{}], [{ data: {} }]])("a list ends at a later page with %j", async (last) => {
    const { samples } = tikhubAnswers({
      [`${base}/get_user_posts`]: ({ query }: SampleRequest) =>
        query?.start === 0 ? { data: [{ id: "73001" }], paging: { pagination_token: "t" } } : last,
    });
    const input = { public_identifier: "jane", limit: 1 };
    const pages = await playToEnd<{ id: string }>(`${area}.users.posts`, input, { samples });
    expect(pages).toMatchObject([[{ id: "73001" }], []]);
  });

  test("jobs: the company's id is looked up once and kept", async () => {
    const requests: SampleRequest[] = [];
    const note = (make: (request: SampleRequest) => unknown) => (request: SampleRequest) => {
      requests.push(request);
      return { success: true, data: make(request) };
    };
    const samples: readonly Samples[] = [
      {
        upstream: "fresh-linkedin",
        answers: {
          "GET /api/v1/company/profile": note(() => ({ id: "urn:li:company:77", name: "X" })),
          "GET /api/v1/company/jobs": note(({ query }) =>
            Number(query?.page) > 2 ? [] : [{ id: `900${String(query?.page)}`, company: "X" }],
          ),
        },
        faults: {
          not_found: { status: 404, body: {} },
          upstream_error: { status: 400, body: {} },
          upstream_unavailable: { status: 503, body: {} },
        },
      },
    ];
    const input = { universal_name: "x", limit: 1 };
    const pages = await playToEnd(`${area}.companies.jobs`, input, { samples });
    expect(pages.flat()).toEqual([
      { id: "9001", company: { name: "X" }, share_url: "https://www.linkedin.com/jobs/view/9001/" },
      { id: "9002", company: { name: "X" }, share_url: "https://www.linkedin.com/jobs/view/9002/" },
    ]);
    expect(requests.map(({ query }) => query)).toEqual([
      { company: "x" },
      { company_id: "77", page: 1 },
      { company_id: "77", page: 2 },
      { company_id: "77", page: 3 },
    ]);
  });
});

test.each([
  ["7300000000000000123", "urn:li:activity:7300000000000000123"],
  ["urn:li:ugcPost:7300000000000000123", "urn:li:ugcPost:7300000000000000123"],
])("the post %s is requested as %s", async (post_id, urn) => {
  const { requests } = await found("posts.get", { post_id }, { id: postNumber });
  expect(requests[0]?.query).toEqual({ url: `https://www.linkedin.com/feed/update/${urn}/` });
});

test.each([
  [
    "users.get",
    "public_identifier",
    ["jane-doe", "José.ñ_1"],
    ["ab", "ACoAAB1234567", "a/b", "https://x"],
  ],
  ["companies.get", "universal_name", ["x", "h&m", "Łódź-works"], ["1234", "a b", ""]],
  [
    "posts.get",
    "post_id",
    [postNumber, "urn:li:share:7300000000000000123"],
    ["123", "urn:li:x:7300000000000000123"],
  ],
])("ids of %s", (operation, field, good, bad) => {
  expectValues(`${area}.${operation}`, field, good, bad);
});
