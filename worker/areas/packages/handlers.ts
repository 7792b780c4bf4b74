import type { packages } from "../../../contract/areas/packages/index.ts";
import type { Registry } from "../../../contract/areas/packages/registries.ts";
import type { Call, Connector } from "../../connector.ts";
import { listedById, listed, type Page } from "../../mapping/list.ts";
import { getMoved } from "../../transport/moved.ts";
import { either } from "../../mapping/preference.ts";
import { endOfLife } from "../../upstreams/endoflife/client.ts";
import { affecting } from "../../upstreams/osv/advisories.ts";
import type { Json } from "../../../contract/json.ts";
import { at, count, found as present, need, object, text } from "#wire";
import { dependencyReaders, packagistDependencies } from "./dependencies.map.ts";
import { downloadReaders, pubDownloads } from "./downloads.map.ts";
import { product } from "./end-of-life.map.ts";
import { identity } from "./identity.map.ts";
import { depsDevPackage, packageReaders } from "./package.map.ts";
import { latestOf, packagistVersions } from "./packagist.map.ts";
import { copied, preference } from "./preference.ts";
import {
  defaultVersion,
  depsDevRequirements,
  depsDevVersion,
  depsDevVersions,
  hexRelease,
  isAtDepsDev,
  lastPages,
  npmMonth,
  packageAnswers,
  pubScore,
  pubVersion,
  pypiRecent,
  rowsPerPage,
  searchPages,
} from "./registry-calls.ts";
import { type Searchable, found } from "./search.map.ts";
import { versionsOf } from "./versions.map.ts";

export default {
  "packages.search": async ({ registry, query, limit }, call) =>
    listed(call, {
      limit,
      fetch: (position) => searchPage(call, registry, query, count(position) ?? 0),
      key: (row) => row.name,
    }),
  "packages.get": async ({ registry, name }, call) => {
    if (registry === "maven" || registry === "go") return copyOf(call, registry, name);
    const own = async (within: Call) => {
      const body = await packageAnswers[registry](within, name);
      return { data: packageReaders[registry](need(object(body), "body")) };
    };
    if (!isCopied(registry)) return own(call);
    const ways = { registry: own, "deps-dev": (within: Call) => copyOf(within, registry, name) };
    return either(call, preference, ways, { registry: copied[registry] });
  },
  "packages.versions": async ({ registry, name }, call) => {
    const body =
      registry === "packagist" || registry === "hex" || registry === "pub"
        ? await packageAnswers[registry](call, name)
        : await depsDevVersions(call, registry, name);
    return { data: versionsOf(registry, body) };
  },
  "packages.dependencies": async ({ registry, name, version }, call) => {
    if (registry === "packagist") return { data: await ofPackagist(call, name, version) };
    const known = version ?? (await latestVersion(call, registry, name));
    const body =
      registry === "hex"
        ? await hexRelease(call, name, known)
        : registry === "pub"
          ? await pubVersion(call, name, known)
          : await depsDevRequirements(call, registry, name, known);
    const dependencies = dependencyReaders[registry](body);
    return { data: { ...identity(registry, name, known), version: known, dependencies } };
  },
  "packages.downloads": async ({ registry, name }, call) => {
    if (registry === "pub") return { data: pubDownloads(name, await pubScore(call, name)) };
    const body =
      registry === "npm"
        ? await npmMonth(call, name)
        : registry === "pypi"
          ? await pypiRecent(call, name)
          : await packageAnswers[registry](call, name);
    return { data: downloadReaders[registry](need(object(body), "body")) };
  },
  "packages.advisories": async ({ registry, name, version, limit }, call) =>
    listedById(call, { limit }, (position) =>
      affecting(call, { package: { ecosystem: ecosystems[registry], name }, version }, position),
    ),
  "packages.end_of_life": async (input, call) => ({
    data: product(await productAnswer(call, input.product)),
  }),
} satisfies Connector<typeof packages>;

const isCopied = (registry: Registry): registry is keyof typeof copied =>
  Object.hasOwn(copied, registry);

/** A package as deps.dev has it. */
async function copyOf(call: Call, registry: Registry, name: string) {
  const version = await defaultVersion(call, registry, name);
  const body = await depsDevVersion(call, registry, name, version);
  return { data: depsDevPackage(registry, need(object(body), "body")) };
}

/** The names of registries at OSV, whose case counts. */
const ecosystems: Readonly<Record<Registry, string>> = {
  npm: "npm",
  pypi: "PyPI",
  crates: "crates.io",
  rubygems: "RubyGems",
  packagist: "Packagist",
  nuget: "NuGet",
  maven: "Maven",
  hex: "Hex",
  pub: "Pub",
  go: "Go",
};

/** Pages of a size that is not asked for, so that any row may be followed by a further page. */
const ownPageSize: ReadonlySet<Searchable> = new Set(["rubygems", "hex"]);

/** One page of hits. A short page is the last one; no registry states the end in the same way. */
async function searchPage(
  call: Call,
  registry: Searchable,
  query: string,
  page: number,
): Promise<Page<ReturnType<typeof found>["hits"][number]>> {
  const { hits, sent, total = 0 } = found(registry, await searchPages[registry](call, query, page));
  const isFull = ownPageSize.has(registry) ? sent > 0 : sent >= rowsPerPage;
  const more = isFull && page < (lastPages[registry] ?? Infinity);
  const advances = (page + 1) * rowsPerPage < total;
  return { rows: hits, next: more ? ((page + 1) satisfies Json) : undefined, advances };
}

async function latestVersion(call: Call, registry: Registry, name: string): Promise<string> {
  if (isAtDepsDev(registry)) return defaultVersion(call, registry, name);
  const body = await packageAnswers[registry as "hex" | "pub"](call, name);
  const version =
    text(at(body, "latest", "version")) ??
    text(at(body, "latest_stable_version")) ??
    text(at(body, "latest_version"));
  return need(version, "latest version");
}

async function ofPackagist(call: Call, name: string, version: string | undefined) {
  const versions = packagistVersions(await packageAnswers.packagist(call, name));
  const row = present(
    version === undefined ? latestOf(versions) : versions.find((one) => one.version === version),
    "version",
  );
  const known = need(text(row.version), "version");
  return {
    ...identity("packagist", name, known),
    version: known,
    dependencies: packagistDependencies(row),
  };
}

/** A product by its name, or by another name, from which the source leads to it. */
async function productAnswer(call: Call, name: string): Promise<unknown> {
  const path = `/api/v1/products/${encodeURIComponent(name)}`;
  return (await getMoved(call, endOfLife, { path }, "product")).body;
}
