import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import { depsDev } from "../../../worker/areas/packages/samples/deps-dev.ts";
import { endOfLife } from "../../../worker/areas/packages/samples/endoflife.ts";
import { osv } from "../../../worker/sandbox/osv.ts";
import * as registries from "../../../worker/areas/packages/samples/registries.ts";
import { purlOf } from "../../../worker/mapping/purl.map.ts";
import { samples } from "../../../worker/sandbox/samples.ts";
import { createSandbox } from "../../../worker/sandbox/sandbox.ts";
import type { Sample, Samples } from "../../../worker/sandbox/sample.ts";
import type { Outbound } from "../../../worker/run.ts";
import { judgeByStatus } from "../../../worker/transport/verdicts.ts";
import { play as playOperation } from "../../operations/play.ts";
import { ask } from "../answering.ts";
import { play } from "../play.ts";

type Input = Record<string, unknown>;

const answering = (own: Samples, answers: Record<string, Sample>): Samples[] => [
  { ...own, answers: { ...own.answers, ...answers } },
];

async function dataOf(id: string, input: Input, own?: Samples[]): Promise<unknown> {
  const played = await play(id, input, own ? { samples: own } : {});
  if (!played.ok) throw new Error(`${played.type}: ${played.message}`);
  return played.data;
}

const records = JSON.parse(readFileSync(new URL("records.json", import.meta.url), "utf8")) as [
  operation: string,
  input: Input,
  data: unknown,
][];

test.each(records)("packages.%s of %j, value by value", async (id, input, data) => {
  expect(await dataOf(`packages.${id}`, input)).toEqual(data);
});

test("packages surprise 10: pages of the versions of one package do not end a search", async () => {
  const docs = Array.from({ length: 50 }, (_, index) => ({ g: "a", a: "b", v: `${index}` }));
  const { played } = await ask(
    "packages.search",
    { registry: "maven", query: "c:Kit" },
    ({ query }) => {
      const page = query?.start === 300 ? [{ g: "c", a: "d", v: "1" }] : docs;
      return { body: { response: { numFound: 301, docs: page } } };
    },
  );
  expect(played).toMatchObject({ ok: true, data: [{ name: "a:b" }, { name: "c:d" }] });
});

test("packages surprise 12: a search of crates.io ends with its 200th page", async () => {
  const crates = Array.from({ length: 50 }, (_, index) => ({ name: `kit-${index}` }));
  const asked: unknown[] = [];
  const outbound: Outbound = {
    fetchFor: () => fetch,
    async send(_upstream, { query }) {
      asked.push(query?.page);
      return { status: 200, headers: {}, body: { crates } };
    },
  };
  const operation = operations.get("packages.search");
  if (!operation) throw new Error("no such operation");
  const input = operation.input.parse({ registry: "crates", query: "kit", limit: 100 }) as Input;
  const last = await playOperation(operation, input, { cursor: { u: 199 }, outbound });
  expect(last).toMatchObject({ ok: true, pagination: { has_more: false } });
  expect(asked).toEqual([200]);
});

describe("packages input", () => {
  const issuesOf = (id: string, input: Input) =>
    operations
      .get(`packages.${id}`)
      ?.input.safeParse(input)
      .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);

  test("a registry without the data is refused with those that have it", () => {
    expect(issuesOf("downloads", { registry: "go", name: "code.example/kit" })).toEqual([
      "registry: go publishes no downloads; use one of npm, pypi, crates, rubygems, packagist, nuget, hex, pub",
    ]);
    expect(issuesOf("search", { registry: "pypi", query: "kit" })).toEqual([
      "registry: pypi publishes no search; use one of npm, crates, rubygems, packagist, nuget, maven, hex",
    ]);
    expect(issuesOf("search", { registry: "cpan", query: "kit" })?.[0]).toContain('"npm"');
  });

  test.each([
    ["packagist", "log", "`vendor/name`"],
    ["maven", "org.sample/kit", "`group:artifact`"],
    ["npm", "../kit", "`@scope/name`"],
    ["go", "code.example/../kit", "path of a module"],
    ["hex", "Kit", "small letters"],
  ])("%s: %s is no name, and the message has the form", (registry, name, form) => {
    const [issue, ...more] = issuesOf("get", { registry, name }) ?? [];
    expect(issue).toMatch(new RegExp(`^name: must be a name of ${registry}: `));
    expect(issue).toContain(form);
    expect(more).toEqual([]);
  });

  test.each(["..", "^1.0.0", "1 0", "a/b"])("%s is no version", (version) => {
    expect(issuesOf("dependencies", { registry: "npm", name: "kit", version })).toHaveLength(1);
  });
});

test.each([
  ["npm", "@Sample/Kit", "1.0.0+b", "pkg:npm/%40sample/kit@1.0.0%2Bb"],
  ["pypi", "Sample_Kit", undefined, "pkg:pypi/sample-kit"],
  ["maven", "org.sample:kit", "1.0", "pkg:maven/org.sample/kit@1.0"],
  ["go", "Code.example/Kit/v2", "v2.0.1", "pkg:golang/code.example/kit/v2@v2.0.1"],
  ["nuget", "Sample.Kit", undefined, "pkg:nuget/Sample.Kit"],
])("the package URL of %s %s %s", (registry, name, version, purl) => {
  expect(purlOf(registry, name, version)).toBe(purl);
});

test.each([
  [404, "not_found", undefined],
  [429, "upstream_unavailable", undefined],
  [403, "upstream_unavailable", "access refused"],
  [402, "upstream_unavailable", "out of funds"],
  [400, "upstream_error", undefined],
  [451, "upstream_error", undefined],
  [302, "upstream_error", undefined],
  [202, "response_shape_error", undefined],
  [204, "response_shape_error", undefined],
  [501, "upstream_unavailable", undefined],
  [503, "upstream_unavailable", undefined],
  [520, "upstream_unavailable", undefined],
  [530, "upstream_unavailable", undefined],
])("status %i of an open source is %s", (status, type, operator) => {
  const verdict = judgeByStatus({ status, headers: {}, body: undefined });
  expect(verdict).toMatchObject({ ok: false, type, ...(operator ? { operator } : {}) });
  expect("operator" in verdict).toBe(operator !== undefined);
});

describe("packages surprises", () => {
  test("packages surprise 1: an id that NuGet does not know is an empty list", async () => {
    const none = answering(registries.nuget, { "GET /query": () => ({ totalHits: 0, data: [] }) });
    for (const id of ["packages.get", "packages.downloads"]) {
      const played = await play(id, { registry: "nuget", name: "Nobody" }, { samples: none });
      expect(played).toMatchObject({ ok: false, type: "not_found" });
    }
  });

  test("packages surprise 2: NuGet's search has all authors in one text", async () => {
    const row = { id: "Kit", version: "1.0.0", authors: ["Sam Sample, Alex Example"] };
    const one = answering(registries.nuget, { "GET /query": () => ({ data: [row] }) });
    const data = await dataOf("packages.get", { registry: "nuget", name: "Kit" }, one);
    expect(data).toMatchObject({ authors: ["Sam Sample", "Alex Example"], is_deprecated: false });
    expect(data).not.toHaveProperty("deprecated_reason");
  });

  test("packages surprise 3: PyPI has the names of people within their addresses", async () => {
    const info = {
      name: "kit",
      author: null,
      author_email: "Sam Sample <sam@sample.example>, bare@sample.example",
      maintainer_email: '"The Team" <team@sample.example>',
    };
    const one = answering(registries.pypi, { "GET /pypi/{name}/json": () => ({ info }) });
    const data = await dataOf("packages.get", { registry: "pypi", name: "kit" }, one);
    expect(data).toMatchObject({ authors: ["Sam Sample"], maintainers: ["The Team"] });
  });

  test.each([
    [true, { is_deprecated: true }],
    [false, { is_deprecated: false }],
    ["sample/next", { is_deprecated: true, replaced_by: "sample/next" }],
  ])("packages surprise 4: `abandoned` may be %j", async (abandoned, expected) => {
    const body = { package: { name: "sample/kit", abandoned, versions: {} } };
    const one = answering(registries.packagist, {
      "GET /packages/{vendor}/{name}.json": () => body,
    });
    const data = await dataOf("packages.get", { registry: "packagist", name: "sample/kit" }, one);
    expect(data).toMatchObject(expected);
  });

  test("packages surprise 5: the latest version at Packagist is no branch and no pre-release", async () => {
    const version = (name: string, normal: string) => ({
      version: name,
      version_normalized: normal,
    });
    const versions = {
      "dev-main": version("dev-main", "dev-main"),
      "v3.0.0-RC1": version("v3.0.0-RC1", "3.0.0.0-RC1"),
      "v2.1.0": version("v2.1.0", "2.1.0.0"),
    };
    const body = { package: { name: "sample/kit", versions } };
    const one = answering(registries.packagist, {
      "GET /packages/{vendor}/{name}.json": () => body,
    });
    const data = await dataOf("packages.get", { registry: "packagist", name: "sample/kit" }, one);
    expect(data).toMatchObject({ version: "v2.1.0" });
  });

  test("packages surprise 10: a row for each version at Maven Central has the name of its package", async () => {
    const row = { id: "org.sample:kit:1.2.0", g: "org.sample", a: "kit", v: "1.2.0", p: "jar" };
    const body = { response: { numFound: 1, start: 0, docs: [row, { id: "org.sample:bare" }] } };
    const two = answering(registries.mavenCentral, { "GET /solrsearch/select": () => body });
    const input = { registry: "maven", query: "c:Kit", limit: 2 };
    const purl = "pkg:maven/org.sample/kit";
    expect(await dataOf("packages.search", input, two)).toMatchObject([
      {
        name: "org.sample:kit",
        purl,
        version: "1.2.0",
        package_url: expect.stringMatching(/kit$/),
      },
      { name: "org.sample:bare" },
    ]);
  });

  test("packages surprise 11: of two lists of npm, the optional one counts, and peers may be optional", async () => {
    const row = (name: string) => ({ name, requirement: "^1.0.0" });
    const dependencies = {
      dependencies: [row("base"), row("fast")],
      optionalDependencies: [row("fast")],
      peerDependencies: [row("host"), row("theme")],
      peerDependencyMetadata: [{ name: "theme", optional: true }],
    };
    const one = answering(depsDev, {
      "GET /v3/systems/{system}/packages/{name}/versions/{version}:requirements": () => ({
        npm: { dependencies },
      }),
    });
    const input = { registry: "npm", name: "kit", version: "1.0.0" };
    const data = (await dataOf("packages.dependencies", input, one)) as { dependencies: Input[] };
    const told = data.dependencies.map((each) => [each["name"], each["kind"], each["is_optional"]]);
    expect(told).toEqual([
      ["base", "runtime", false],
      ["fast", "runtime", true],
      ["host", "peer", false],
      ["theme", "peer", true],
    ]);
  });

  test.each([
    ["git+https://code.example/kit.git", "https://code.example/kit"],
    ["git://code.example/kit.git", "https://code.example/kit"],
    ["git+ssh://git@code.example/kit.git", "https://code.example/kit"],
    ["git@code.example:sample/kit.git", "https://code.example/sample/kit"],
    ["somewhere", undefined],
  ])("packages surprise 6: the repository %s is the page %s", async (url, page) => {
    const body = { name: "kit", version: "1.0.0", repository: { url } };
    const one = answering(registries.npm, { "GET /{name}/latest": () => body });
    const data = (await dataOf("packages.get", { registry: "npm", name: "kit" }, one)) as Input;
    expect(data["repository_url"]).toBe(page);
  });

  test("packages surprise 7: no advisory is an empty object, and a page may have a token only", async () => {
    const input = { registry: "npm", name: "kit" };
    const none = answering(osv, { "POST /v1/query": () => ({}) });
    expect(await dataOf("packages.advisories", input, none)).toEqual([]);
    const late = answering(osv, {
      "POST /v1/query": ({ body }) =>
        (body as Input)["page_token"] === "2"
          ? { vulns: [{ id: "GHSA-1" }] }
          : { next_page_token: "2" },
    });
    expect(await dataOf("packages.advisories", input, late)).toMatchObject([{ id: "GHSA-1" }]);
    const later = await ask("packages.advisories", input, ({ body }) => {
      const page = Number((body as Input)["page_token"] ?? 0);
      return {
        body: page < 6 ? { next_page_token: `${page + 1}` } : { vulns: [{ id: "GHSA-1" }] },
      };
    });
    expect(later.played).toMatchObject({ ok: true, data: [{ id: "GHSA-1" }] });
  });

  test("packages surprise 8: another name of a product leads to the product", async () => {
    const operation = operations.get("packages.end_of_life");
    if (!operation) throw new Error("no such operation");
    const sandbox = createSandbox([endOfLife]);
    const moved = (location: string) =>
      playOperation(
        operation,
        { product: "golang" },
        {
          outbound: {
            ...sandbox,
            send: async (upstream, request, call) =>
              request.path.endsWith("/golang")
                ? { status: 301, headers: { location }, body: undefined }
                : sandbox.send(
                    upstream,
                    { ...request, path: request.path.replace(/\/$/, "") },
                    call,
                  ),
          },
        },
      );
    expect(await moved("/api/v1/products/go/")).toMatchObject({ data: { name: "go" } });
    expect(await moved("https://elsewhere.example/api/v1/products/go/")).toMatchObject({
      ok: false,
      type: "not_found",
    });
  });

  test("packages surprise 8: another spelling of a name at PyPI leads to the usual one", async () => {
    const { played } = await ask(
      "packages.get",
      { registry: "pypi", name: "Sample_Kit" },
      ({ path }) =>
        path === "/pypi/sample-kit/json"
          ? { body: { info: { name: "sample-kit", version: "1.0" } } }
          : { status: 301, headers: { location: "/pypi/sample-kit/json" }, body: undefined },
    );
    expect(played).toMatchObject({ ok: true, data: { name: "sample-kit", version: "1.0" } });
  });

  test("packages surprise 9: without a default version, the one published last stands for it", async () => {
    const version = (name: string, publishedAt: string) => ({
      versionKey: { name: "code.example/kit", version: name },
      publishedAt,
      isDefault: false,
    });
    const one = answering(depsDev, {
      "GET /v3/systems/{system}/packages/{name}": () => ({
        versions: [
          version("v1.1.0", "2025-02-03T00:00:00Z"),
          version("v1.0.0", "2024-02-03T00:00:00Z"),
        ],
      }),
    });
    const data = await dataOf("packages.get", { registry: "go", name: "code.example/kit" }, one);
    expect(data).toMatchObject({ version: "v1.1.0" });
  });
});

test("an advisory's events become ranges, each with its end", async () => {
  const events = [
    { introduced: "0" },
    { fixed: "1.2.0" },
    { introduced: "2.0.0" },
    { introduced: "3.0.0" },
    { last_affected: "3.1.0" },
  ];
  const affected = [
    { package: { name: "kit", ecosystem: "npm" }, ranges: [{ type: "SEMVER", events }] },
  ];
  const one = answering(osv, {
    "POST /v1/query": () => ({ vulns: [{ id: "GHSA-1", affected }] }),
  });
  const [data] = (await dataOf("packages.advisories", { registry: "npm", name: "kit" }, one)) as [
    { affected: [{ ranges: unknown }] },
  ];
  expect(data.affected[0].ranges).toEqual([
    { type: "SEMVER", introduced: "0", fixed: "1.2.0" },
    { type: "SEMVER", introduced: "2.0.0" },
    { type: "SEMVER", introduced: "3.0.0", last_affected: "3.1.0" },
  ]);
});

test("names and versions reach the sources escaped, and OSV in its own spelling", async () => {
  const sent: string[] = [];
  const sandbox = createSandbox(samples);
  const listen = async (id: string, input: Input) => {
    const operation = operations.get(`packages.${id}`);
    if (!operation) throw new Error(id);
    await playOperation(operation, operation.input.parse(input) as Input, {
      outbound: {
        ...sandbox,
        send(upstream, request, call) {
          sent.push(`${upstream.name} ${request.path} ${JSON.stringify(request.body ?? {})}`);
          return sandbox.send(upstream, request, call);
        },
      },
    });
  };
  await listen("get", { registry: "npm", name: "@sample/kit" });
  await listen("downloads", { registry: "npm", name: "@sample/kit" });
  await listen("versions", { registry: "maven", name: "org.sample:kit" });
  await listen("advisories", { registry: "crates", name: "kit", version: "1.0.0", limit: 1 });
  expect(sent).toEqual([
    "npm /%40sample%2Fkit/latest {}",
    "npm-downloads /downloads/range/last-month/%40sample/kit {}",
    "deps-dev /v3/systems/maven/packages/org.sample%3Akit {}",
    'osv /v1/query {"package":{"ecosystem":"crates.io","name":"kit"},"version":"1.0.0"}',
  ]);
});
