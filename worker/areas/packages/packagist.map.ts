import { type Wire, at, each, object, text } from "#wire";

/** The versions of a package at Packagist, branches included; JSON keeps no order of names such as `10`. */
export function packagistVersions(body: unknown): Wire[] {
  return each(Object.values(object(at(body, "package", "versions")) ?? {}), object);
}

/** The highest release without a `-` in its normal form (a branch or a pre-release), else the first of all. */
export function latestOf(versions: readonly Wire[]): Wire | undefined {
  const normal = (row: Wire) => text(row.version_normalized) ?? "-";
  const stable = versions.filter((row) => !normal(row).includes("-"));
  if (stable.length === 0) return versions[0];
  return stable.reduce((best, row) => (isHigher(normal(row), normal(best)) ? row : best));
}

/** Whether a normal form such as 10.2.0.0 stands above another. */
function isHigher(one: string, other: string): boolean {
  const [parts, others] = [one.split("."), other.split(".")];
  const length = Math.max(parts.length, others.length);
  for (let index = 0; index < length; index += 1) {
    const step = Number(parts[index] ?? 0) - Number(others[index] ?? 0);
    if (step !== 0) return step > 0;
  }
  return false;
}
