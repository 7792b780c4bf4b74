import type { EndOfLifeProduct } from "../../../contract/areas/packages/records.ts";
import { at, boolean, defined, each, need, object, rows, text } from "#wire";
import { webUrl } from "./identity.map.ts";

/** A product with its release cycles. */
export function product(body: unknown): EndOfLifeProduct {
  const row = need(object(at(body, "result")), "result");
  const name = need(text(row.name), "result.name");
  return defined({
    name,
    title: text(row.label) ?? name,
    category: text(row.category),
    aliases: each(row.aliases, text),
    tags: each(row.tags, text),
    purls: each(row.identifiers, (entry) =>
      at(entry, "type") === "purl" ? text(at(entry, "id")) : undefined,
    ),
    page_url: webUrl(at(row, "links", "html")),
    release_policy_url: webUrl(at(row, "links", "releasePolicy")),
    releases: rows(row.releases, "result.releases", (cycle) =>
      defined({
        name: need(text(cycle.name), "release.name"),
        codename: text(cycle.codename),
        released_on: text(cycle.releaseDate),
        is_lts: boolean(cycle.isLts),
        active_support_until: text(cycle.eoasFrom),
        is_end_of_life: boolean(cycle.isEol),
        end_of_life_on: text(cycle.eolFrom),
        extended_support_until: text(cycle.eoesFrom),
        is_maintained: boolean(cycle.isMaintained),
        latest_version: text(at(cycle, "latest", "name")),
        latest_released_on: text(at(cycle, "latest", "date")),
        latest_url: webUrl(at(cycle, "latest", "link")),
      }),
    ),
  });
}
