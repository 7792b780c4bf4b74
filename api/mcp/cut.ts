import { chooser } from "../../contract/field-selection.ts";
import { recordsIn, recordsMember } from "../../contract/records.ts";

/** The part of an answer that fits the model's limit. */
export interface Part {
  data: unknown;
  /** The range in `data`: records, or characters of a text. */
  shown: { from: number; to: number; of: number; unit: "records" | "characters" };
}

type Json = Record<string, unknown>;

/**
 * The part of `data` from an index on (of records, or of characters when it is not a list) that fits `most`
 * characters as JSON; at least one record, which is then cut as a text.
 */
export function partOf(
  data: unknown,
  { from, most, fields }: { from: number; most: number; fields: readonly string[] | undefined },
): Part {
  const rows = recordsIn(data);
  const choose = fields ? chooser(fields) : (value: unknown) => value;
  if (!rows) {
    const chosen = choose(data);
    const text = JSON.stringify(chosen) ?? "null";
    const whole = from === 0 && text.length <= most;
    const to = Math.min(text.length, from + most);
    return {
      data: whole ? chosen : text.slice(from, to),
      shown: { from, to, of: text.length, unit: "characters" },
    };
  }
  const shown: unknown[] = [];
  let charactersLeft = most;
  for (const row of rows.slice(from)) {
    const chosen = choose(row);
    const text = JSON.stringify(chosen);
    if (text.length > charactersLeft && shown.length > 0) break;
    shown.push(text.length > most ? `${text.slice(0, most)}… (choose fields)` : chosen);
    charactersLeft -= text.length;
    if (charactersLeft <= 0) break;
  }
  const { [recordsMember]: _, ...beside } = Array.isArray(data) ? {} : (data as Json);
  return {
    data: Array.isArray(data) ? shown : { ...(from === 0 ? beside : {}), [recordsMember]: shown },
    shown: { from, to: from + shown.length, of: rows.length, unit: "records" },
  };
}
