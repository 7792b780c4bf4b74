import type { PackageRecord } from "../../../contract/areas/packages/records.ts";
import type { Registry } from "../../../contract/areas/packages/registries.ts";
import { type Wire, at, defined, each, need, object, text } from "#wire";
import { identity, moment, pageUrl, webUrl } from "./identity.map.ts";
import { latestOf, packagistVersions } from "./packagist.map.ts";

/** One package, from the answer of its registry. */

type About = Omit<PackageRecord, "registry" | "name" | "purl" | "package_url">;
type Given = { [K in keyof About]?: About[K] | undefined };

function record(registry: Registry, name: unknown, about: Given): PackageRecord {
  const known = need(text(name), `${registry}.name`);
  const { keywords = [], authors = [], maintainers = [], is_deprecated = false, ...others } = about;
  return defined({
    ...identity(registry, known),
    ...others,
    keywords,
    authors,
    maintainers,
    is_deprecated,
    package_url: pageUrl(registry, known),
  }) as PackageRecord;
}

const one = (value: string | undefined) => (value === undefined ? undefined : [value]);
const names = (list: unknown, member: string) => each(list, (entry) => text(at(entry, member)));
const listed = (value: unknown) =>
  (text(value) ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

/** The manifest of the version with the tag `latest`. */
function npm(body: Wire): PackageRecord {
  const reason = text(body.deprecated);
  return record("npm", body.name, {
    version: text(body.version),
    description: text(body.description),
    licenses: one(text(body.license) ?? text(at(body, "license", "type"))),
    keywords: each(body.keywords, text),
    homepage_url: webUrl(body.homepage),
    repository_url: webUrl(at(body, "repository", "url") ?? body.repository),
    authors: one(text(at(body, "author", "name")) ?? text(body.author)),
    maintainers: names(body.maintainers, "name"),
    is_deprecated: reason !== undefined,
    deprecated_reason: reason,
  });
}

/** The first address whose label is one of `labels`, in whatever case. */
function labelled(links: unknown, labels: readonly string[]): string | undefined {
  const known = Object.entries(object(links) ?? {});
  for (const label of labels) {
    const match = known.find(([name]) => name.toLowerCase() === label);
    if (match) return webUrl(match[1]);
  }
  return undefined;
}

/** Names of people, which newer packages state with their addresses only: `Name <name@mail.example>`. */
function people(names: unknown, addresses: unknown): string[] {
  const known = listed(names);
  if (known.length > 0) return known;
  return listed(addresses).flatMap((entry) => /^"?([^"<@]*[^"<@\s])"?\s*</.exec(entry)?.[1] ?? []);
}

const sourceLabels = ["source", "source code", "repository", "github", "code"];

function pypi(body: Wire): PackageRecord {
  const info = need(object(body.info), "info");
  const links = info.project_urls;
  const yanked = info.yanked === true;
  return record("pypi", info.name, {
    version: text(info.version),
    description: text(info.summary),
    licenses: one(text(info.license_expression) ?? text(info.license)),
    keywords: listed(info.keywords),
    homepage_url: webUrl(info.home_page) ?? labelled(links, ["homepage"]),
    repository_url: labelled(links, sourceLabels),
    documentation_url: labelled(links, ["documentation", "docs"]),
    authors: people(info.author, info.author_email),
    maintainers: people(info.maintainer, info.maintainer_email),
    published_at: moment(at(body, "urls", 0, "upload_time_iso_8601")),
    is_deprecated: yanked,
    deprecated_reason: yanked ? text(info.yanked_reason) : undefined,
  });
}

function crates(body: Wire): PackageRecord {
  const crate = need(object(body.crate), "crate");
  const version = text(crate.max_stable_version) ?? text(crate.max_version);
  const current = each(body.versions, object).find((row) => row.num === version);
  const yanked = current?.yanked === true;
  return record("crates", crate.name, {
    version,
    description: text(crate.description)?.trim(),
    licenses: one(text(current?.license)),
    keywords: each(crate.keywords, text),
    homepage_url: webUrl(crate.homepage),
    repository_url: webUrl(crate.repository),
    documentation_url: webUrl(crate.documentation),
    created_at: moment(crate.created_at),
    updated_at: moment(crate.updated_at),
    published_at: moment(current?.created_at),
    is_deprecated: yanked,
    deprecated_reason: yanked ? text(current?.yank_message) : undefined,
  });
}

function rubygems(body: Wire): PackageRecord {
  return record("rubygems", body.name, {
    version: text(body.version),
    description: text(body.info),
    licenses: each(body.licenses, text),
    homepage_url: webUrl(body.homepage_uri),
    repository_url: webUrl(body.source_code_uri),
    documentation_url: webUrl(body.documentation_uri),
    authors: listed(body.authors),
    published_at: moment(body.version_created_at),
    is_deprecated: body.yanked === true,
  });
}

function packagist(body: Wire): PackageRecord {
  const about = need(object(body.package), "package");
  const current = latestOf(packagistVersions(body));
  // `true`, or the name of the package to use in its place.
  const { abandoned } = about;
  return record("packagist", about.name, {
    version: text(current?.version),
    description: text(about.description),
    licenses: each(current?.license, text),
    keywords: each(current?.keywords, text),
    homepage_url: webUrl(current?.homepage),
    repository_url: webUrl(about.repository) ?? webUrl(at(current, "source", "url")),
    authors: names(current?.authors, "name"),
    maintainers: names(about.maintainers, "name"),
    created_at: moment(about.time),
    published_at: moment(current?.time),
    is_deprecated: abandoned === true || text(abandoned) !== undefined,
    replaced_by: text(abandoned),
  });
}

/** The row of the search for this very id. */
function nuget(body: Wire): PackageRecord {
  const row = need(object(at(body, "data", 0)), "data[0]");
  const reasons = each(at(row, "deprecation", "reasons"), text);
  return record("nuget", row.id, {
    version: text(row.version),
    description: text(row.description),
    keywords: each(row.tags, text),
    homepage_url: webUrl(row.projectUrl),
    // A list of one text with all names in it.
    authors: each(row.authors, text).flatMap(listed),
    maintainers: each(row.owners, text),
    is_deprecated: row.deprecation !== undefined,
    deprecated_reason: text(at(row, "deprecation", "message")) ?? text(reasons.join(", ")),
    replaced_by: text(at(row, "deprecation", "alternatePackage", "id")),
  });
}

function hex(body: Wire): PackageRecord {
  const version = text(body.latest_stable_version) ?? text(body.latest_version);
  const current = each(body.releases, object).find((row) => row.version === version);
  const retirement = version === undefined ? undefined : at(body, "retirements", version);
  const reason = text(at(retirement, "message")) ?? text(at(retirement, "reason"));
  const links = at(body, "meta", "links");
  return record("hex", body.name, {
    version,
    description: text(at(body, "meta", "description")),
    licenses: each(at(body, "meta", "licenses"), text),
    homepage_url: labelled(links, ["homepage", "website"]),
    repository_url: labelled(links, sourceLabels),
    documentation_url: webUrl(body.docs_html_url),
    maintainers: names(body.owners, "username"),
    created_at: moment(body.inserted_at),
    updated_at: moment(body.updated_at),
    published_at: moment(current?.inserted_at),
    is_deprecated: retirement !== undefined,
    deprecated_reason: reason,
  });
}

function pub(body: Wire): PackageRecord {
  const spec = at(body, "latest", "pubspec");
  return record("pub", body.name, {
    version: text(at(body, "latest", "version")),
    description: text(at(spec, "description")),
    keywords: each(at(spec, "topics"), text),
    homepage_url: webUrl(at(spec, "homepage")),
    repository_url: webUrl(at(spec, "repository")),
    documentation_url: webUrl(at(spec, "documentation")),
    published_at: moment(at(body, "latest", "published")),
    is_deprecated: body.isDiscontinued === true,
    replaced_by: text(body.replacedBy),
  });
}

/** A version at deps.dev: of Maven Central and Go modules always, of other registries while they do not answer. */
export function depsDevPackage(registry: Registry, body: Wire): PackageRecord {
  const links = new Map(
    each(body.links, object).map((link) => [text(link.label), webUrl(link.url)] as const),
  );
  const deprecated = body.isDeprecated === true;
  return record(registry, at(body, "versionKey", "name"), {
    version: text(at(body, "versionKey", "version")),
    licenses: each(body.licenses, text),
    homepage_url: links.get("HOMEPAGE"),
    repository_url: links.get("SOURCE_REPO"),
    documentation_url: links.get("DOCUMENTATION"),
    published_at: moment(body.publishedAt),
    is_deprecated: deprecated,
    deprecated_reason: text(body.deprecatedReason),
  });
}

export const packageReaders = { npm, pypi, crates, rubygems, packagist, nuget, hex, pub } as const;
