import type { Advisory } from "../../../contract/advisory.ts";
import type { Json } from "../../../contract/json.ts";
import type { Call } from "../../connector.ts";
import type { Page } from "../../mapping/list.ts";
import { at, rows, text } from "#wire";
import { advisory } from "./advisory.map.ts";
import { osv } from "./client.ts";

/** A package, by its ecosystem and name or by its package URL, and one version of it. */
export interface Subject {
  package: { ecosystem: string; name: string } | { purl: string };
  version?: string | undefined;
}

/**
 * Advisories that affect a package. A package without any is an empty object; a page may also hold a token
 * and no advisory.
 */
export async function affecting(
  call: Call,
  subject: Subject,
  position: Json | undefined,
): Promise<Page<Advisory>> {
  const body = { ...subject, page_token: text(position) };
  const answer = await call.send(osv, { method: "POST", path: "/v1/query", body });
  const list = at(answer.body, "vulns") ?? [];
  const next = text(at(answer.body, "next_page_token"));
  return { rows: rows(list, "vulns", advisory), next, advances: true };
}
