import type { PackageDownloads } from "../../../contract/areas/packages/records.ts";
import type { Registry } from "../../../contract/areas/packages/registries.ts";
import { type Wire, at, count, defined, need, object, rows, text } from "#wire";
import { identity } from "./identity.map.ts";

/** Downloads of a package, in the periods that its registry counts. */

type Given = { [K in keyof PackageDownloads]?: PackageDownloads[K] | undefined };

function record(registry: Registry, name: unknown, given: Given): PackageDownloads {
  const known = need(text(name), `${registry}.name`);
  return defined({ ...identity(registry, known), ...given }) as PackageDownloads;
}

/** The last 30 days one by one; every period is a sum of them. */
function npm(body: Wire): PackageDownloads {
  const series = rows(body.downloads, "downloads", (row) => ({
    date: need(text(row.day), "day"),
    downloads: need(count(row.downloads), "downloads"),
  }));
  const sum = (days: number) =>
    series.slice(-days).reduce((total, { downloads }) => total + downloads, 0);
  return record("npm", body.package, {
    last_day: sum(1),
    last_week: sum(7),
    last_month: sum(30),
    series,
  });
}

function pypi(body: Wire): PackageDownloads {
  const data = need(object(body.data), "data");
  return record("pypi", body.package, {
    last_day: count(data.last_day),
    last_week: count(data.last_week),
    last_month: count(data.last_month),
  });
}

function crates(body: Wire): PackageDownloads {
  const crate = need(object(body.crate), "crate");
  return record("crates", crate.name, {
    total: count(crate.downloads),
    last_90_days: count(crate.recent_downloads),
  });
}

function rubygems(body: Wire): PackageDownloads {
  return record("rubygems", body.name, { total: count(body.downloads) });
}

function packagist(body: Wire): PackageDownloads {
  const downloads = at(body, "package", "downloads");
  return record("packagist", at(body, "package", "name"), {
    total: count(at(downloads, "total")),
    last_day: count(at(downloads, "daily")),
    last_month: count(at(downloads, "monthly")),
  });
}

function nuget(body: Wire): PackageDownloads {
  const row = need(object(at(body, "data", 0)), "data[0]");
  return record("nuget", row.id, { total: count(row.totalDownloads) });
}

function hex(body: Wire): PackageDownloads {
  return record("hex", body.name, {
    total: count(at(body, "downloads", "all")),
    last_day: count(at(body, "downloads", "day")),
    last_week: count(at(body, "downloads", "week")),
    last_90_days: count(at(body, "downloads", "recent")),
  });
}

/** The score does not name its package. */
export function pubDownloads(name: string, body: unknown): PackageDownloads {
  return record("pub", name, { last_month: count(at(body, "downloadCount30Days")) });
}

export const downloadReaders = { npm, pypi, crates, rubygems, packagist, nuget, hex } as const;
