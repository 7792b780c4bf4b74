/** True under `npm run test:faults`: every case at its full length and load. */
export const full = process.env["FULL_FAULTS"] === "true";

/** What other test files beside this one, and a machine half as fast, may add to a time, in milliseconds; at full length none runs. */
export const besideMs = full ? 0 : 20_000;
