import { type Wire, at, each, object, text } from "#wire";

/** The versions of a package at Packagist, newest first, branches included. */
export function packagistVersions(body: unknown): Wire[] {
  return each(Object.values(object(at(body, "package", "versions")) ?? {}), object);
}

/** The newest release without a `-` in its normal form (a branch or a pre-release), else the newest of all. */
export function latestOf(versions: readonly Wire[]): Wire | undefined {
  const isStable = (row: Wire) => !(text(row.version_normalized) ?? "-").includes("-");
  return versions.find(isStable) ?? versions[0];
}
