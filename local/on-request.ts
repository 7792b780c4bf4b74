import { runVitest } from "./vitest.ts";

/** `npm run test:image`: a test that no other run includes. The arguments name its file. */

runVitest(["--project", "on request", ...process.argv.slice(2)], {
  ...process.env,
  ON_REQUEST: "true",
});
