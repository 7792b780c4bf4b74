import { integer, text } from "#wire";

const entities: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/** A text of the platform, which escapes these three characters and no others. */
export function written(value: unknown): string | undefined {
  return text(value)?.replace(/&(?:amp|lt|gt);/g, (entity) => entities[entity] ?? entity);
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const englishTime = /^\w{3} (\w{3}) (\d\d) (\d\d:\d\d:\d\d) ([+-]\d{4}) (\d{4})$/;

/** Unix seconds of "2025-05-17T13:00:17.000Z" or "Sat May 17 13:00:17 +0000 2025". */
export function time(value: unknown): number | undefined {
  const written = text(value);
  if (written === undefined) return undefined;
  const english = englishTime.exec(written);
  if (!english && !dateTime.test(written)) return undefined;
  const [, month, day, clock, zone, year] = english ?? [];
  const ms = Date.parse(english ? `${day} ${month} ${year} ${clock} ${zone}` : written);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

/** Unix seconds of a time in milliseconds. */
export function timeOfMs(value: unknown): number | undefined {
  const ms = integer(value);
  return ms === undefined ? undefined : Math.floor(ms / 1000);
}

/** The larger of the two sizes of an avatar. */
export function avatar(value: unknown): string | undefined {
  return text(value)?.replace(/_normal(?=\.\w+$|$)/, "_400x400");
}

const scales: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9 };

/** The number that a text like "32.1K posts" or "1,204 followers" begins with. */
export function leadingCount(value: unknown): number | undefined {
  const found = /^([\d,]{1,15}(?:\.\d{1,3})?)\s?([KMB])?\b/.exec(text(value) ?? "");
  const base = Number(found?.[1]?.replaceAll(",", ""));
  if (!found || !Number.isFinite(base)) return undefined;
  return Math.round(base * (scales[found[2] ?? ""] ?? 1));
}

/** A count that may be text with thousands commas. */
export function writtenCount(value: unknown): number | undefined {
  const found = integer(typeof value === "string" ? value.replaceAll(",", "") : value);
  return found !== undefined && found >= 0 ? found : undefined;
}

const verifiedTypes = new Set(["blue", "business", "government"]);

/** `verified_type` in lower case, else derived from the blue flag. */
export function verification(
  type: unknown,
  flags: readonly unknown[],
  isBlue: boolean,
): { is_verified: boolean; verified_type: string } {
  const named = text(type)?.toLowerCase();
  const verified_type =
    named !== undefined && verifiedTypes.has(named) ? named : isBlue ? "blue" : "none";
  return { is_verified: verified_type !== "none" || flags.includes(true), verified_type };
}

export function postUrl(username: string | undefined, postId: string): string {
  return `https://x.com/${username ?? "i"}/status/${postId}`;
}

export function userUrl(username: string | undefined, userId: string): string {
  return username === undefined ? `https://x.com/i/user/${userId}` : `https://x.com/${username}`;
}

export function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}
