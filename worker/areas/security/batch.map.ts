import type { AdvisoryIds } from "../../../contract/areas/security/index.ts";
import { array, at, defined, each, need, object, text } from "#wire";

/** Ids for each package; the source answers in the order of the questions. */
export function advisoryIds(purls: readonly string[], body: unknown): AdvisoryIds {
  const results = need(array(at(body, "results")), "results");
  need(results.length === purls.length ? results : undefined, "results[]");
  return { packages: purls.map((purl, index) => affected(purl, results[index])) };
}

/** An entry that does not fit says nothing about its package, so its list is not complete. */
function affected(purl: string, result: unknown): AdvisoryIds["packages"][number] {
  const list = object(result) && (at(result, "vulns") ?? []);
  const advisories = each(list, (row) => {
    const id = text(at(row, "id"));
    return id === undefined ? undefined : defined({ id, modified_at: text(at(row, "modified")) });
  });
  const isRead = array(list)?.length === advisories.length;
  const goesOn = text(at(result, "next_page_token")) !== undefined;
  return { purl, advisories, is_complete: isRead && !goesOn };
}
