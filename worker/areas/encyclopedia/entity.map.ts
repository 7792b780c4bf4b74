import type {
  EncyclopediaEntity,
  EncyclopediaEntityFound,
} from "../../../contract/areas/encyclopedia/records.ts";
import { type Wire, array, at, defined, each, integer, need, number, object, text } from "#wire";

type Value = EncyclopediaEntity["statements"][number]["value"];

const pageOf = (id: string) => `https://www.wikidata.org/wiki/${id}`;

/** Names that hold in most languages, such as those of people. */
const anyLanguage = "mul";

export function entity(body: unknown, language: string): EncyclopediaEntity {
  const row = need(object(body), "item");
  const id = need(text(row.id), "item.id");
  return defined({
    id,
    language,
    label: text(at(row.labels, language)) ?? text(at(row.labels, anyLanguage)),
    description: text(at(row.descriptions, language)),
    aliases: [language, anyLanguage].flatMap((code) => each(at(row.aliases, code), text)),
    statements: Object.values(object(row.statements) ?? {}).flatMap((list) =>
      each(array(list), statement),
    ),
    pages: Object.entries(object(row.sitelinks) ?? {}).flatMap(([site, link]) => {
      const title = text(at(link, "title"));
      return title === undefined ? [] : [defined({ site, title, url: text(at(link, "url")) })];
    }),
    url: pageOf(id),
  });
}

function statement(entry: unknown) {
  const property_id = text(at(entry, "property", "id"));
  if (property_id === undefined) return undefined;
  return defined({
    property_id,
    data_type: text(at(entry, "property", "data_type")),
    rank: text(at(entry, "rank")),
    value: valueOf(at(entry, "value"), text(at(entry, "property", "data_type"))),
  });
}

/** Precisions of a time, by the source's number. */
const precisions: Readonly<Record<number, string>> = {
  6: "millennium",
  7: "century",
  8: "decade",
  9: "year",
  10: "month",
  11: "day",
};

/** The form of a value's content depends on its property's type. */
function valueOf(value: unknown, dataType: string | undefined): Value {
  const kind = at(value, "type");
  if (kind === "novalue") return { type: "none" };
  const content = at(value, "content");
  if (kind === "somevalue" || content === undefined) return { type: "unknown" };
  const plain = text(content);
  if (plain !== undefined) {
    return dataType?.startsWith("wikibase-")
      ? { type: "entity", entity_id: plain }
      : { type: "text", text: plain };
  }
  const amount = text(at(content, "amount"));
  if (amount !== undefined) {
    const unit = /[QPL]\d+$/.exec(text(at(content, "unit")) ?? "")?.[0];
    return defined({ type: "quantity", amount: amount.replace(/^\+/, ""), unit });
  }
  const time = text(at(content, "time"));
  if (time !== undefined) {
    const precision = precisions[integer(at(content, "precision")) ?? -1];
    return defined({ type: "time", time, precision });
  }
  const [latitude, longitude] = [number(at(content, "latitude")), number(at(content, "longitude"))];
  if (latitude !== undefined && longitude !== undefined) {
    return { type: "coordinate", latitude, longitude };
  }
  const worded = text(at(content, "text"));
  return worded === undefined
    ? { type: "unknown" }
    : defined({ type: "text", text: worded, language: text(at(content, "language")) });
}

export function entityFound(row: Wire, language: string): EncyclopediaEntityFound {
  const id = need(text(row.id), "search.id");
  return defined({
    id,
    language,
    label: text(row.label),
    description: text(row.description),
    matched_text: text(at(row.match, "text")),
    url: pageOf(id),
  });
}
