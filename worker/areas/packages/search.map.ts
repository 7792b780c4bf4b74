import type { PackageHit } from "../../../contract/areas/packages/records.ts";
import type { Registry } from "../../../contract/areas/packages/registries.ts";
import { type Wire, array, at, count, defined, each, need, rows, text } from "#wire";
import { identity, moment, pageUrl, webUrl } from "./identity.map.ts";

/** Rows of a registry's search, and how many the registry sent. */
export interface Found {
  hits: PackageHit[];
  sent: number;
  /** Number of all rows, where pages may repeat their packages. */
  total?: number | undefined;
}

export type Searchable = Exclude<Registry, "pypi" | "pub" | "go">;

const readers: Readonly<Record<Searchable, { path: string[]; read: (row: Wire) => PackageHit }>> = {
  npm: { path: ["objects"], read: npm },
  crates: { path: ["crates"], read: crates },
  rubygems: { path: [], read: rubygems },
  packagist: { path: ["results"], read: packagist },
  nuget: { path: ["data"], read: nuget },
  maven: { path: ["response", "docs"], read: maven },
  hex: { path: [], read: hex },
};

export function found(registry: Searchable, body: unknown): Found {
  const { path, read } = readers[registry];
  const list = at(body, ...path);
  return {
    hits: rows(list, path.join(".") || "results", read),
    sent: array(list)?.length ?? 0,
    total: count(at(body, "response", "numFound")),
  };
}

type About = Omit<Partial<PackageHit>, "registry" | "name" | "purl" | "package_url">;

function hit(
  registry: Searchable,
  name: unknown,
  about: { [K in keyof About]: About[K] | undefined },
) {
  const known = need(text(name), `${registry}.name`);
  const { keywords = [], ...others } = about;
  return defined({
    ...identity(registry, known),
    ...others,
    keywords,
    package_url: pageUrl(registry, known),
  }) as PackageHit;
}

function npm(row: Wire): PackageHit {
  const about = at(row, "package");
  const licence = text(at(about, "license"));
  return hit("npm", at(about, "name"), {
    version: text(at(about, "version")),
    description: text(at(about, "description")),
    licenses: licence === undefined ? undefined : [licence],
    keywords: each(at(about, "keywords"), text),
    homepage_url: webUrl(at(about, "links", "homepage")),
    repository_url: webUrl(at(about, "links", "repository")),
    updated_at: moment(at(about, "date")),
  });
}

function crates(row: Wire): PackageHit {
  return hit("crates", row.name, {
    version: text(row.max_stable_version) ?? text(row.max_version),
    description: text(row.description)?.trim(),
    keywords: each(row.keywords, text),
    homepage_url: webUrl(row.homepage),
    repository_url: webUrl(row.repository),
    updated_at: moment(row.updated_at),
    total_downloads: count(row.downloads),
  });
}

function rubygems(row: Wire): PackageHit {
  return hit("rubygems", row.name, {
    version: text(row.version),
    description: text(row.info),
    licenses: each(row.licenses, text),
    homepage_url: webUrl(row.homepage_uri),
    repository_url: webUrl(row.source_code_uri),
    updated_at: moment(row.version_created_at),
    total_downloads: count(row.downloads),
  });
}

function packagist(row: Wire): PackageHit {
  return hit("packagist", row.name, {
    description: text(row.description),
    repository_url: webUrl(row.repository),
    total_downloads: count(row.downloads),
  });
}

function nuget(row: Wire): PackageHit {
  return hit("nuget", row.id, {
    version: text(row.version),
    description: text(row.description),
    keywords: each(row.tags, text),
    homepage_url: webUrl(row.projectUrl),
    total_downloads: count(row.totalDownloads),
  });
}

/** A search for a class or a version has a row for each version, whose id ends with it. */
function maven(row: Wire): PackageHit {
  const [group, artifact] = [text(row.g), text(row.a)];
  const isWhole = group !== undefined && artifact !== undefined;
  return hit("maven", isWhole ? `${group}:${artifact}` : row.id, {
    version: text(row.latestVersion) ?? text(row.v),
    updated_at: moment(row.timestamp),
  });
}

function hex(row: Wire): PackageHit {
  return hit("hex", row.name, {
    version: text(row.latest_stable_version) ?? text(row.latest_version),
    description: text(at(row, "meta", "description")),
    licenses: each(at(row, "meta", "licenses"), text),
    repository_url: webUrl(at(row, "meta", "links", "GitHub")),
    updated_at: moment(row.updated_at),
    total_downloads: count(at(row, "downloads", "all")),
  });
}
