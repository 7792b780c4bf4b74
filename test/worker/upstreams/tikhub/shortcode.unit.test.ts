import { describe, expect, test } from "vitest";
import { mediaIdOf, shortcodeOf } from "../../../../worker/upstreams/tikhub/shortcode.map.ts";

describe("photosite shortcodes", () => {
  test("a code and its number, both ways", () => {
    expect(mediaIdOf("CAnqPB-Jzcj")).toBe("2317006284167526179");
    expect(shortcodeOf("2317006284167526179")).toBe("CAnqPB-Jzcj");
    expect(shortcodeOf("2317006284167526179_305701719")).toBe("CAnqPB-Jzcj");
  });

  test("the longer codes of private accounts count by their first 11 characters", () => {
    expect(mediaIdOf("CAnqPB-JzcjABCDEFGHIJ")).toBe("2317006284167526179");
  });

  test("64 bits are the bound", () => {
    expect(mediaIdOf(shortcodeOf("18446744073709551615") as string)).toBe("18446744073709551615");
    expect(shortcodeOf("18446744073709551616")).toBeUndefined();
    expect(mediaIdOf("___________")).toBeUndefined();
  });
});
