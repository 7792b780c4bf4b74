import type { Page } from "puppeteer";
import { boxesInPlaceOf, fontSamples } from "../../local/fonts.ts";
import { ok, warn } from "./check.ts";
import type { Check } from "./check.ts";

/**
 * An expression for a page: the names of the scripts that its browser draws as boxes. A character without a font is
 * drawn as the same box as a noncharacter.
 */
export const boxesScript = `(() => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 48;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.font = "32px sans-serif";
  const drawn = (text) => {
    context.clearRect(0, 0, 48, 48);
    context.fillText(text, 4, 36);
    return context.getImageData(0, 0, 48, 48).data.join();
  };
  const box = drawn("\\u{10fffd}");
  const samples = ${JSON.stringify(fontSamples)};
  return Object.keys(samples).filter((name) => drawn(samples[name]) === box);
})()`;

/** The scripts that the browser of this page draws as boxes. */
export async function drawnAsBoxes(page: Page): Promise<string[]> {
  return (await page.evaluate(boxesScript)) as string[];
}

export const aboutFonts = (missing: readonly string[]): Check =>
  missing.length === 0
    ? ok("fonts", "Chromium has fonts for every script checked.")
    : warn("fonts", boxesInPlaceOf(missing));
