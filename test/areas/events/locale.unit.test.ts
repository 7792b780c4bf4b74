import { expect, test } from "vitest";
import { eventLocale } from "../../../worker/areas/events/locale.ts";

test.each([
  ["en", "en"],
  ["de-AT", "de-at"],
  ["German", "de"],
  ["hebrew", "he"],
  ["Klingonese", "*"],
])("%s is %s", (language, locale) => {
  expect(eventLocale(language)).toBe(locale);
});
