/** True under `npm run test:faults`: every case at its full length and load. */
export const full = process.env["FULL_FAULTS"] === "true";
