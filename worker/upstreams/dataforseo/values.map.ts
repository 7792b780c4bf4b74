import { type Wire, array, count, object, text } from "#wire";

const timeRule = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2}) ?(Z|[+-]\d{2}:?\d{2})?$/;

/** "2026-07-01 12:00:00 +00:00" as ISO 8601 UTC; `new Date` reads the blank differently by engine. */
export function time(value: unknown): string | undefined {
  const found = timeRule.exec(text(value) ?? "");
  if (!found) return undefined;
  const [, date, clock, offset = "Z"] = found;
  const zone = offset === "Z" ? "Z" : `${offset.slice(0, 3)}:${offset.slice(-2)}`;
  const at = new Date(`${date}T${clock}${zone}`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace(".000Z", "Z");
}

/** The day of a time or date, as YYYY-MM-DD. */
export function day(value: unknown): string | undefined {
  return /^\d{4}-\d{2}-\d{2}(?=$|[ T])/.exec(text(value) ?? "")?.[0];
}

/** Unix seconds of a time. */
export function seconds(value: unknown): number | undefined {
  const at = time(value);
  return at === undefined ? undefined : Math.floor(Date.parse(at) / 1000);
}

/** A map of counts. Null means an empty map; the empty name means unknown. */
export function counts(value: unknown): { [name: string]: number } | undefined {
  if (value === null) return {};
  const holder = object(value);
  if (!holder) return undefined;
  const totals = new Map<string, number>();
  for (const [key, entry] of Object.entries(holder)) {
    const figure = count(entry);
    if (figure === undefined) continue;
    const name = key === "" ? "unknown" : key;
    totals.set(name, (totals.get(name) ?? 0) + figure);
  }
  return Object.fromEntries(totals);
}

/** The texts of a list; absent where there is no list. */
export function texts(value: unknown): string[] | undefined {
  return array(value)?.filter((entry) => typeof entry === "string" && entry !== "") as
    | string[]
    | undefined;
}

/** Members of an object with the keys "1", "2" and so on, as a list. */
export function numbered(value: unknown): { number: number; member: unknown }[] {
  return Object.entries(object(value) ?? {})
    .filter(([key]) => /^[1-9]\d{0,3}$/.test(key))
    .map(([key, member]) => ({ number: Number(key), member }))
    .sort((a, b) => a.number - b.number);
}

/** The members of `holder` for which `read` finds a value. */
export function mapOf<T>(
  holder: Wire | undefined,
  read: (value: unknown) => T | undefined,
): { [name: string]: T } | undefined {
  if (!holder) return undefined;
  const entries = Object.entries(holder)
    .map(([key, value]) => [key, read(value)] as const)
    .filter((entry): entry is [string, T & ({} | null)] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
