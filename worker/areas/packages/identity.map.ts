import type { Registry } from "../../../contract/areas/packages/registries.ts";
import { purlOf } from "../../mapping/purl.map.ts";
import { text } from "#wire";

/** The members by which every record names its package. */
export const identity = (registry: Registry, name: string, version?: string) => ({
  registry,
  name,
  purl: purlOf(registry, name, version),
});

const pages: Readonly<Record<Registry, (name: string) => string>> = {
  npm: (name) => `https://www.npmjs.com/package/${name}`,
  pypi: (name) => `https://pypi.org/project/${name}/`,
  crates: (name) => `https://crates.io/crates/${name}`,
  rubygems: (name) => `https://rubygems.org/gems/${name}`,
  packagist: (name) => `https://packagist.org/packages/${name}`,
  nuget: (name) => `https://www.nuget.org/packages/${name}`,
  maven: (name) => `https://central.sonatype.com/artifact/${name.replace(":", "/")}`,
  hex: (name) => `https://hex.pm/packages/${name}`,
  pub: (name) => `https://pub.dev/packages/${name}`,
  go: (name) => `https://pkg.go.dev/${name}`,
};

/** Page of a package at its registry. */
export const pageUrl = (registry: Registry, name: string): string => pages[registry](name);

/** A web address; git's own forms (`git+https://…`, `git://…`, `….git`) become that of the page. */
export function webUrl(value: unknown): string | undefined {
  const given = text(value)
    ?.trim()
    .replace(/^git\+/, "")
    .replace(/^(git|ssh):\/\/(git@)?/, "https://")
    .replace(/^git@([\w.-]+):/, "https://$1/")
    .replace(/^github:/, "https://github.com/")
    .replace(/\.git$/, "");
  if (given === undefined) return undefined;
  const url = URL.parse(given);
  return url && /^https?:$/.test(url.protocol) ? given : undefined;
}

/** A moment as ISO 8601 in UTC; registries differ in offsets and fractions. */
export function moment(value: unknown): string | undefined {
  const given = typeof value === "number" ? value : text(value);
  if (given === undefined) return undefined;
  // A text without an offset is UTC at every registry.
  const zoned = typeof given === "string" && /T[\d:.]+$/.test(given) ? `${given}Z` : given;
  const date = new Date(zoned);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
