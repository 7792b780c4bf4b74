import { runVitest } from "./vitest.ts";

/** `npm run test:image`, `npm run test:generators`: a test that no other run includes. The arguments name its file. */

runVitest(["--project", "on request", ...process.argv.slice(2)], {
  ...process.env,
  ON_REQUEST: "true",
});
