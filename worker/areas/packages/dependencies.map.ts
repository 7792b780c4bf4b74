import type { PackageDependencies } from "../../../contract/areas/packages/records.ts";
import type { Registry } from "../../../contract/areas/packages/registries.ts";
import { purlOf } from "../../mapping/purl.map.ts";
import { type Wire, at, boolean, defined, each, need, object, text } from "#wire";

/** Declared dependencies of a version. */

export type Dependency = PackageDependencies["dependencies"][number];
type Kind = Dependency["kind"];

interface Given {
  requirement?: string | undefined;
  is_optional?: boolean | undefined;
  environment?: string | undefined;
  /** False for what is no package of the registry. */
  isPackage?: boolean;
}

function dependency(
  registry: Registry,
  name: unknown,
  kind: Kind,
  { isPackage = true, is_optional = false, ...given }: Given,
): Dependency | undefined {
  const known = text(name);
  if (known === undefined) return undefined;
  const purl = isPackage ? purlOf(registry, known) : undefined;
  return defined({ name: known, purl, ...given, kind, is_optional }) as Dependency;
}

type Read = (row: Wire) => Dependency | undefined;

/** deps.dev's form of npm, RubyGems and Go modules: rows of name and requirement, a list for each kind. */
const plain =
  (registry: Registry, kind: Kind, is_optional = false): Read =>
  (row) =>
    dependency(registry, row.name, kind, { requirement: text(row.requirement), is_optional });

/** Older manifests have an optional dependency in both lists; npm takes the optional one. */
function npm(body: unknown): Dependency[] {
  const all = need(object(at(body, "npm", "dependencies")), "npm.dependencies");
  const optional = listOf(all.optionalDependencies, plain("npm", "runtime", true));
  const optionalNames = new Set(optional.map(({ name }) => name));
  const optionalPeers = new Set(
    each(all.peerDependencyMetadata, (entry) =>
      at(entry, "optional") === true ? text(at(entry, "name")) : undefined,
    ),
  );
  return [
    ...listOf(all.dependencies, plain("npm", "runtime")).filter(
      ({ name }) => !optionalNames.has(name),
    ),
    ...optional,
    ...listOf(all.peerDependencies, (row) =>
      plain("npm", "peer", optionalPeers.has(text(row.name) ?? ""))(row),
    ),
    ...listOf(all.devDependencies, plain("npm", "development")),
  ];
}

const listOf = (list: unknown, read: Read) =>
  each(list, (entry) => {
    const row = object(entry);
    return row && read(row);
  });

function rubygems(body: unknown): Dependency[] {
  const all = need(object(at(body, "rubygems")), "rubygems");
  return [
    ...listOf(all.runtimeDependencies, plain("rubygems", "runtime")),
    ...listOf(all.devDependencies, plain("rubygems", "development")),
  ];
}

function go(body: unknown): Dependency[] {
  const all = need(object(at(body, "go")), "go");
  return [
    ...listOf(all.directDependencies, plain("go", "runtime")),
    ...listOf(all.indirectDependencies, plain("go", "indirect")),
  ];
}

function pypi(body: unknown): Dependency[] {
  const all = need(object(at(body, "pypi")), "pypi");
  return listOf(all.dependencies, (row) => {
    const environment = text(row.environmentMarker);
    return dependency("pypi", row.projectName, "runtime", {
      requirement: text(row.versionSpecifier),
      is_optional: /\bextra\s*==/.test(environment ?? ""),
      environment,
    });
  });
}

const cargoKinds: Readonly<Record<string, Kind>> = { dev: "development", build: "build" };

function crates(body: unknown): Dependency[] {
  const all = need(object(at(body, "cargo")), "cargo");
  return listOf(all.dependencies, (row) =>
    dependency("crates", row.name, cargoKinds[text(row.kind) ?? ""] ?? "runtime", {
      requirement: text(row.requirement),
      is_optional: row.optional === true,
      environment: text(row.target),
    }),
  );
}

function nuget(body: unknown): Dependency[] {
  const all = need(object(at(body, "nuget")), "nuget");
  return each(all.dependencyGroups, object).flatMap((group) =>
    listOf(group.dependencies, (row) =>
      dependency("nuget", row.name, "runtime", {
        requirement: text(row.requirement),
        environment: text(group.targetFramework),
      }),
    ),
  );
}

/** Properties of the POM are resolved where deps.dev could; a managed dependency is none of this version's. */
function maven(body: unknown): Dependency[] {
  const all = need(object(at(body, "maven")), "maven");
  return listOf(all.dependencies, (row) => {
    const scope = text(row.scope);
    return dependency(
      "maven",
      text(row.resolvedName) ?? row.name,
      scope === "test" ? "development" : "runtime",
      {
        requirement: text(row.resolvedVersion) ?? text(row.version),
        is_optional: row.optional === "true",
        environment: scope === "test" ? undefined : scope,
      },
    );
  });
}

const entriesOf = (value: unknown) => Object.entries(object(value) ?? {});

/** A release at Hex. */
function hex(body: unknown): Dependency[] {
  return entriesOf(at(body, "requirements")).flatMap(
    ([name, row]) =>
      dependency("hex", name, "runtime", {
        requirement: text(at(row, "requirement")),
        is_optional: boolean(at(row, "optional")),
      }) ?? [],
  );
}

/** A version at pub.dev: a constraint as text, or a source such as an SDK, which is no package. */
function pub(body: unknown): Dependency[] {
  const read = (kind: Kind) => (entry: [string, unknown]) => {
    const [name, row] = entry;
    const isPackage = at(row, "sdk") === undefined;
    const requirement = text(row) ?? text(at(row, "version"));
    return dependency("pub", name, kind, { requirement, isPackage }) ?? [];
  };
  return [
    ...entriesOf(at(body, "pubspec", "dependencies")).flatMap(read("runtime")),
    ...entriesOf(at(body, "pubspec", "dev_dependencies")).flatMap(read("development")),
  ];
}

/** A version at Packagist. Names without a vendor (`php`, `ext-json`) are the platform. */
export function packagistDependencies(row: Wire): Dependency[] {
  const read = (kind: Kind) => (entry: [string, unknown]) => {
    const [name, requirement] = entry;
    const isPackage = name.includes("/");
    return dependency("packagist", name, kind, { requirement: text(requirement), isPackage }) ?? [];
  };
  return [
    ...entriesOf(row.require).flatMap(read("runtime")),
    ...entriesOf(row["require-dev"]).flatMap(read("development")),
  ];
}

export const dependencyReaders = {
  npm,
  pypi,
  crates,
  rubygems,
  nuget,
  maven,
  hex,
  pub,
  go,
} as const;
