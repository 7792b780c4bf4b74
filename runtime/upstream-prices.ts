/**
 * Dollars for a call of an upstream, as the provider published them; undefined where they depend on the plan or
 * the route. A cost that an upstream reports with its answer replaces the expected one.
 */
const prices: Readonly<Record<string, { dollars: number; from: string }>> = {
  tikhub: {
    dollars: 0.001,
    from: "https://tikhub.io/index.php/2024/05/30/tikhub-pricing-adjustment (2024; some routes cost more)",
  },
  x: { dollars: 0.1, from: "at most $0.01 a record, ten records a call (2026)" },
  ticketmaster: { dollars: 0, from: "within the key's 5,000 calls a day" },
  reddit: { dollars: 0, from: "free for non-commercial use" },
};

/** Routes of the professional network, the dearest seen in 2026. */
const networkPrice = { dollars: 0.05, from: "at most $0.05 a call of these routes (2026)" };

/** DataForSEO prices by interface; this one is published per page of ten results. */
const serpPrice = {
  dollars: 0.002,
  from: "https://dataforseo.com/help-center/serp-api-pricing-depth-update-faq (2025)",
};
const serpAreas = new Set(["maps", "local", "news"]);

/** An upstream without a credential costs nothing. */
export function priceOf(
  upstream: string,
  area: string,
  credentials: readonly string[],
): { dollars: number | undefined; from: string } {
  if (credentials.length === 0) return { dollars: 0, from: "needs no account" };
  if (upstream === "dataforseo" && serpAreas.has(area)) return serpPrice;
  if (upstream === "tikhub" && area === "professional-network") return networkPrice;
  return prices[upstream] ?? { dollars: undefined, from: "by plan or route" };
}
