import { monotonicNow } from "../../../runtime/monotonic.ts";
import type { Call } from "../../connector.ts";
import { each, id, need, object, text } from "#wire";
import { sec } from "./client.ts";

/** A security at an exchange, and its company. */
export interface Listing {
  ticker: string;
  cik: string;
  name: string;
}

/** The list changes once a day, and all calls of this process share it. */
const keptMs = 86_400_000;
let kept: { listings: readonly Listing[]; until: number } | undefined;

/** All listings, those of the largest companies first. */
export async function listingsIn(call: Call): Promise<readonly Listing[]> {
  // Test mode answers from samples, which live calls must never see.
  if (call.mode === "live" && kept && monotonicNow() < kept.until) return kept.listings;
  const { body } = await call.send(sec, { method: "GET", path: "/files/company_tickers.json" });
  const listings = listingsOf(body);
  if (call.mode === "live") kept = { listings, until: monotonicNow() + keptMs };
  return listings;
}

/** The list is an object whose keys are positions. */
export function listingsOf(body: unknown): readonly Listing[] {
  const listings = each(Object.values(need(object(body), "tickers")), (entry) => {
    const row = object(entry);
    const [ticker, cik, name] = [text(row?.ticker), id(row?.cik_str), text(row?.title)];
    if (ticker === undefined || cik === undefined || name === undefined) return undefined;
    return { ticker, cik, name };
  });
  return need(listings.length === 0 ? undefined : listings, "tickers[]");
}
