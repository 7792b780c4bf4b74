/** True under `npm run test:faults`: every case at its full length and load. */
export const full = process.env["FULL_FAULTS"] === "true";

/**
 * Milliseconds that other test files and a machine half as fast may add to a time; at full length
 * no other file runs.
 */
export const besideMs = full ? 0 : 20_000;
