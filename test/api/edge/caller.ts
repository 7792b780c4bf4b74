/** A caller whose rates bind nothing. */
export const caller = {
  accountId: 1,
  accountName: "a",
  keyId: "k",
  mode: "test" as const,
  ratePerSecond: 1e9,
  maxInFlight: 1e9,
};
