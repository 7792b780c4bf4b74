import type { OpenSocialPost } from "../../../contract/areas/open-social/records.ts";
import { text } from "#wire";

/** Values that all records of open networks share. */

export type Media = OpenSocialPost["media"][number];
export type Card = NonNullable<OpenSocialPost["card"]>;

/** Unix seconds of ISO 8601; a moment without an offset is UTC. */
export function unixSeconds(value: unknown): number | undefined {
  const given = text(value);
  if (given === undefined) return undefined;
  const zoned = /T[\d:.]+$/.test(given) ? `${given}Z` : given;
  const ms = Date.parse(zoned);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

export const hostOf = (address: unknown): string | undefined =>
  URL.parse(text(address) ?? "")?.host || undefined;
