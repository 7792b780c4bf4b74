import { chooser } from "../../contract/choose.ts";
import { recordsIn, recordsMember } from "../../contract/records.ts";

/** A part of an answer that fits what its reader can take. */
export interface Part {
  data: unknown;
  /** What is shown of what there is: records, or characters of a text. */
  shown: { from: number; to: number; of: number; unit: "records" | "characters" };
}

type Json = Record<string, unknown>;

/**
 * The part of `data` from a place on (a record, or a character where it is no list) that takes at most
 * so many characters as JSON; at least one record, which is then cut as a text.
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
  let room = most;
  for (const row of rows.slice(from)) {
    const chosen = choose(row);
    const text = JSON.stringify(chosen);
    if (text.length > room && shown.length > 0) break;
    shown.push(text.length > most ? `${text.slice(0, most)}… (choose fields)` : chosen);
    room -= text.length;
    if (room <= 0) break;
  }
  const { [recordsMember]: _, ...beside } = Array.isArray(data) ? {} : (data as Json);
  return {
    data: Array.isArray(data) ? shown : { ...(from === 0 ? beside : {}), [recordsMember]: shown },
    shown: { from, to: from + shown.length, of: rows.length, unit: "records" },
  };
}
