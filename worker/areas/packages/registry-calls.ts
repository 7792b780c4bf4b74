import type { Registry } from "../../../contract/areas/packages/registries.ts";
import type { Call } from "../../connector.ts";
import { escapedPath } from "../../mapping/path.map.ts";
import { getMoved } from "../../transport/moved.ts";
import type { UpstreamRequest, Upstream } from "../../transport/upstream.ts";
import { depsDev } from "../../upstreams/deps-dev/client.ts";
import {
  crates,
  hex,
  mavenCentral,
  npm,
  npmDownloads,
  nuget,
  packagist,
  pub,
  pypi,
  pypiStats,
  rubygems,
} from "../../upstreams/registries/client.ts";
import { type Wire, at, each, found, need, object, text } from "#wire";
import type { Searchable } from "./search.map.ts";

/** Requests to the registries and to deps.dev. */

type Query = NonNullable<UpstreamRequest["query"]>;

export async function get(
  call: Call,
  upstream: Upstream,
  path: string,
  query: Query = {},
): Promise<unknown> {
  return (await call.send(upstream, { method: "GET", path, query })).body;
}

const part = encodeURIComponent;

/** The names of registries at deps.dev. */
const systems: Partial<Record<Registry, string>> = {
  npm: "npm",
  pypi: "pypi",
  crates: "cargo",
  rubygems: "rubygems",
  nuget: "nuget",
  maven: "maven",
  go: "go",
};

/** The form that all spellings of a name at PyPI share (PEP 503). */
const pypiName = (name: string) => name.toLowerCase().replace(/[-_.]+/g, "-");

const depsDevPath = (registry: Registry, name: string) =>
  `/v3/systems/${need(systems[registry], "system")}/packages/${part(registry === "pypi" ? pypiName(name) : name)}`;

export const isAtDepsDev = (registry: Registry): boolean => registry in systems;

export const depsDevVersions = (call: Call, registry: Registry, name: string) =>
  get(call, depsDev, depsDevPath(registry, name));

export const depsDevVersion = (call: Call, registry: Registry, name: string, version: string) =>
  get(call, depsDev, `${depsDevPath(registry, name)}/versions/${part(version)}`);

export const depsDevRequirements = (
  call: Call,
  registry: Registry,
  name: string,
  version: string,
) => get(call, depsDev, `${depsDevPath(registry, name)}/versions/${part(version)}:requirements`);

/** The version that is installed by default: the marked one, else the one that was published last. */
export async function defaultVersion(
  call: Call,
  registry: Registry,
  name: string,
): Promise<string> {
  const versions = each(at(await depsDevVersions(call, registry, name), "versions"), object);
  const marked = versions.find((row) => row.isDefault === true);
  const latest = marked ?? versions.toSorted(laterFirst)[0];
  return found(text(at(latest, "versionKey", "version")), "version");
}

const laterFirst = (one: Wire, other: Wire) =>
  (text(other.publishedAt) ?? "").localeCompare(text(one.publishedAt) ?? "");

/** Requests for a package at its registry itself. */
export const packageAnswers = {
  npm: (call: Call, name: string) => get(call, npm, `/${part(name)}/latest`),
  pypi: pypiPackage,
  crates: (call: Call, name: string) => get(call, crates, `/api/v1/crates/${part(name)}`),
  rubygems: (call: Call, name: string) => get(call, rubygems, `/api/v1/gems/${part(name)}.json`),
  packagist: (call: Call, name: string) =>
    get(call, packagist, `/packages/${escapedPath(name)}.json`),
  nuget: nugetPackage,
  hex: (call: Call, name: string) => get(call, hex, `/api/packages/${part(name)}`),
  pub: (call: Call, name: string) => get(call, pub, `/api/packages/${part(name)}`),
} as const;

/** Other spellings of a name lead to its usual one. */
async function pypiPackage(call: Call, name: string): Promise<unknown> {
  return (await getMoved(call, pypi, { path: `/pypi/${part(name)}/json` }, "package")).body;
}

/** The search for one id; an id that does not exist is an empty list, as is one without a release. */
async function nugetPackage(call: Call, name: string): Promise<unknown> {
  const search = (prerelease: boolean) =>
    get(call, nuget, "/query", {
      q: `packageid:${name}`,
      take: 1,
      prerelease,
      semVerLevel: "2.0.0",
    });
  const released = await search(false);
  if (object(at(released, "data", 0))) return released;
  const early = await search(true);
  found(object(at(early, "data", 0)), "package");
  return early;
}

export const hexRelease = (call: Call, name: string, version: string) =>
  get(call, hex, `/api/packages/${part(name)}/releases/${part(version)}`);
export const pubVersion = (call: Call, name: string, version: string) =>
  get(call, pub, `/api/packages/${part(name)}/versions/${part(version)}`);
export const pubScore = (call: Call, name: string) =>
  get(call, pub, `/api/packages/${part(name)}/score`);
export const npmMonth = (call: Call, name: string) =>
  get(call, npmDownloads, `/downloads/range/last-month/${escapedPath(name)}`);
export const pypiRecent = (call: Call, name: string) =>
  get(call, pypiStats, `/api/packages/${part(pypiName(name))}/recent`);

/** Rows of one request of a search; Hex and RubyGems have pages of their own size. */
export const rowsPerPage = 50;

/** The last page that a registry shows, from 0: NuGet skips at most 3,000 rows, crates.io refuses a page 201. */
export const lastPages: Partial<Record<Searchable, number>> = {
  nuget: 3000 / rowsPerPage,
  crates: 199,
};

/** One page of a search, from 0. */
export const searchPages: Readonly<
  Record<Searchable, (call: Call, query: string, page: number) => Promise<unknown>>
> = {
  npm: (call, query, page) =>
    get(call, npm, "/-/v1/search", { text: query, size: rowsPerPage, from: page * rowsPerPage }),
  crates: (call, query, page) =>
    get(call, crates, "/api/v1/crates", { q: query, per_page: rowsPerPage, page: page + 1 }),
  rubygems: (call, query, page) =>
    get(call, rubygems, "/api/v1/search.json", { query, page: page + 1 }),
  packagist: (call, query, page) =>
    get(call, packagist, "/search.json", { q: query, per_page: rowsPerPage, page: page + 1 }),
  nuget: (call, query, page) =>
    get(call, nuget, "/query", {
      q: query,
      skip: page * rowsPerPage,
      take: rowsPerPage,
      prerelease: false,
      semVerLevel: "2.0.0",
    }),
  maven: (call, query, page) =>
    get(call, mavenCentral, "/solrsearch/select", {
      q: query,
      rows: rowsPerPage,
      start: page * rowsPerPage,
      wt: "json",
    }),
  hex: (call, query, page) => get(call, hex, "/api/packages", { search: query, page: page + 1 }),
};
