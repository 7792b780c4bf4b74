import type { Advisory } from "../../../contract/advisory.ts";
import { type Wire, at, defined, each, need, object, text } from "#wire";

type Affected = Advisory["affected"][number];
type Range = Affected["ranges"][number];

/** An advisory in the Open Source Vulnerability format. */
export function advisory(row: Wire): Advisory {
  const id = need(text(row.id), "vuln.id");
  return defined({
    id,
    aliases: each(row.aliases, text),
    summary: text(row.summary),
    details: text(row.details),
    severity: text(at(row, "database_specific", "severity")),
    cvss: each(row.severity, (entry) => {
      const type = text(at(entry, "type"));
      const vector = text(at(entry, "score"));
      return type === undefined || vector === undefined ? undefined : { type, vector };
    }),
    cwe_ids: each(at(row, "database_specific", "cwe_ids"), text),
    published_at: text(row.published),
    modified_at: text(row.modified),
    withdrawn_at: text(row.withdrawn),
    affected: each(row.affected, affected),
    references: each(row.references, (entry) => {
      const url = text(at(entry, "url"));
      return url === undefined ? undefined : defined({ type: text(at(entry, "type")), url });
    }),
    url: `https://osv.dev/vulnerability/${encodeURIComponent(id)}`,
  });
}

function affected(entry: unknown): Affected | undefined {
  const row = object(entry);
  if (!row) return undefined;
  return defined({
    ecosystem: text(at(row, "package", "ecosystem")),
    name: text(at(row, "package", "name")),
    purl: text(at(row, "package", "purl")),
    versions: each(row.versions, text),
    ranges: each(row.ranges, object).flatMap(rangesOf),
  });
}

/** The events of a range in pairs: each `introduced` with the `fixed` or `last_affected` that ends it. */
function rangesOf(range: Wire): Range[] {
  const found: Range[] = [];
  const about = { type: text(range.type), repository_url: text(range.repo) };
  let introduced: string | undefined;
  for (const event of each(range.events, object)) {
    const begin = text(event.introduced);
    if (begin !== undefined) {
      if (introduced !== undefined) found.push(defined({ ...about, introduced }));
      introduced = begin;
      continue;
    }
    const fixed = text(event.fixed);
    const last = text(event.last_affected);
    if (fixed === undefined && last === undefined) continue;
    found.push(defined({ ...about, introduced, fixed, last_affected: last }));
    introduced = undefined;
  }
  if (introduced !== undefined) found.push(defined({ ...about, introduced }));
  return found;
}
