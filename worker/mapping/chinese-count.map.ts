import { count } from "./wire.ts";

const units: Readonly<Record<string, number>> = { 万: 10_000, 亿: 100_000_000 };

/** A count that may be written as "1.2万" (ten thousands) or "100万+"; undefined for "--". */
export function chineseCount(value: unknown): number | undefined {
  const plain = count(value);
  if (plain !== undefined || typeof value !== "string") return plain;
  const found = /^(\d{1,12}(?:\.\d{1,4})?)\s?([万亿])?\+?$/.exec(value.trim().replaceAll(",", ""));
  if (!found) return undefined;
  return count(Math.round(Number(found[1]) * (units[found[2] ?? ""] ?? 1)));
}
