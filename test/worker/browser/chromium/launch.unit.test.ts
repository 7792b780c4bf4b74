import { expect, test } from "vitest";
import { launch } from "../../../../worker/browser/chromium/launch.ts";

test.each(["/bin/false", "/no/such/program"])(
  "%s is named as the Chromium that does not start",
  async (executablePath) => {
    await expect(launch({ executablePath, sandbox: true })).rejects.toThrow(
      new RegExp(`Chromium did not start \\(${executablePath}: .*sandbox`, "s"),
    );
  },
);
