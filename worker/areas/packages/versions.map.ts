import type { PackageVersions } from "../../../contract/areas/packages/records.ts";
import type { Registry } from "../../../contract/areas/packages/registries.ts";
import { purlOf } from "../../mapping/purl.map.ts";
import { type Wire, array, at, defined, need, object, rows, text } from "#wire";
import { identity, moment } from "./identity.map.ts";
import { latestOf, packagistVersions } from "./packagist.map.ts";

/** All versions of a package. */

type Version = PackageVersions["versions"][number];
type Given = { [K in keyof Omit<Version, "purl">]?: Version[K] | undefined };

interface Reader {
  name(body: Wire): unknown;
  list(body: Wire): unknown;
  read(row: Wire, body: Wire): Given;
}

const depsDev: Reader = {
  name: (body) => at(body, "packageKey", "name"),
  list: (body) => body.versions,
  read: (row) => ({
    version: text(at(row, "versionKey", "version")),
    published_at: moment(row.publishedAt),
    is_default: row.isDefault === true,
    is_deprecated: row.isDeprecated === true,
    deprecated_reason: text(row.deprecatedReason),
  }),
};

const hex: Reader = {
  name: (body) => body.name,
  list: (body) => body.releases,
  read(row, body) {
    const version = text(row.version);
    const retirement = version === undefined ? undefined : at(body, "retirements", version);
    return {
      version,
      published_at: moment(row.inserted_at),
      is_default: version === (text(body.latest_stable_version) ?? text(body.latest_version)),
      is_deprecated: retirement !== undefined,
      deprecated_reason: text(at(retirement, "message")) ?? text(at(retirement, "reason")),
    };
  },
};

const pub: Reader = {
  name: (body) => body.name,
  list: (body) => body.versions,
  read: (row, body) => ({
    version: text(row.version),
    published_at: moment(row.published),
    is_default: row.version === at(body, "latest", "version"),
    is_deprecated: row.retracted === true,
  }),
};

const packagist: Reader = {
  name: (body) => at(body, "package", "name"),
  list(body) {
    if (!object(at(body, "package", "versions"))) return undefined;
    const versions = packagistVersions(body);
    const latest = latestOf(versions);
    return versions.map((row) => ({ ...row, isLatest: row === latest }));
  },
  read: (row) => ({
    version: text(row.version),
    published_at: moment(row.time),
    is_default: row.isLatest === true,
  }),
};

/** Registries that deps.dev does not have. */
export const ownVersions: Partial<Record<Registry, Reader>> = { hex, pub, packagist };

/** The versions newest first; those without a date come last, in the source's order. */
export function versionsOf(registry: Registry, body: unknown): PackageVersions {
  const whole = need(object(body), "body");
  const reader = ownVersions[registry] ?? depsDev;
  const name = need(text(reader.name(whole)), "name");
  const list = need(array(reader.list(whole)), "versions");
  const versions = rows(list, "versions", (row) => {
    const { version: given, is_deprecated = false, ...others } = reader.read(row, whole);
    const version = need(given, "version");
    return defined({ version, purl: purlOf(registry, name, version), ...others, is_deprecated });
  }) as Version[];
  const newestFirst = versions.toSorted((one, other) =>
    (other.published_at ?? "").localeCompare(one.published_at ?? ""),
  );
  return { ...identity(registry, name), total_count: versions.length, versions: newestFirst };
}
