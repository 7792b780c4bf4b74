import { expect, test } from "vitest";
import { SettingsError } from "../../../../runtime/settings.ts";
import { launch } from "../../../../worker/browser/chromium/launch.ts";

test.each([
  ["/bin/false", /Chromium did not start \(\/bin\/false: .*sandbox/],
  ["/no/such/program", /\/no\/such\/program is no program .*\(ENOENT\)/],
  ["/etc", /\/etc is no program .*\(not a file\)/],
  ["/etc/passwd", /\/etc\/passwd is no program .*\(EACCES\)/],
])("%s is named in one line as a Chromium that does not start", async (executablePath, line) => {
  const error = await launch({ executablePath, sandbox: true }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SettingsError);
  expect((error as Error).message).toMatch(
    new RegExp(`^PUPPETEER_EXECUTABLE_PATH: .*${line.source}.*$`),
  );
});
