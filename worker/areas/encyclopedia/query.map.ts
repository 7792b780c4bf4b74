import type { EncyclopediaQuery } from "../../../contract/areas/encyclopedia/records.ts";
import { array, at, defined, each, need, object, text } from "#wire";

type Cell = EncyclopediaQuery["rows"][number]["cells"][number];

const entity = /^http:\/\/www\.wikidata\.org\/entity\/([QPL][1-9][0-9]*)$/;

function cell(column: string, entry: unknown): Cell | undefined {
  const type = text(at(entry, "type"));
  const value = at(entry, "value");
  if (type === undefined || typeof value !== "string") return undefined;
  return defined({
    column,
    type,
    value,
    entity_id: type === "uri" ? entity.exec(value)?.[1] : undefined,
    language: text(at(entry, "xml:lang")),
    data_type: text(at(entry, "datatype")),
  });
}

/** The answer to a query, in the form of the SPARQL 1.1 Query Results JSON Format, up to `limit` rows. */
export function queryAnswer(body: unknown, limit: number): EncyclopediaQuery {
  const columns = each(at(body, "head", "vars"), text);
  const bindings = need(array(at(body, "results", "bindings")), "results.bindings");
  const rows = bindings.slice(0, limit).map((binding) => ({
    cells: each(columns, (column) => {
      const name = column as string;
      return cell(name, at(object(binding), name));
    }),
  }));
  return { columns, rows, is_complete: bindings.length <= limit };
}
