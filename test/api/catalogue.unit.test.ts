import { expect, test } from "vitest";
import { Catalogue } from "../../api/catalogue.ts";
import type { Availability } from "../../api/docs/availability.ts";
import { areas } from "../../contract/index.ts";
import type { Database } from "../../db/client.ts";

const operations = areas.flatMap((area) => area.operations);
/** The list does without dates while the database is away. */
const away = {
  orm: {},
  answer: () => Promise.reject(new Error("away")),
} as unknown as Database;

const availableIn = (list: Buffer) =>
  new Map(
    (JSON.parse(list.toString()) as { id: string; available?: boolean }[]).map((entry) => [
      entry.id,
      entry.available,
    ]),
  );

test("each entry says whether a live key can call it here, once that is known", async () => {
  const catalogue = new Catalogue(operations, away);
  const states = new Map<string, Availability>([
    ["seo.serp.search", "available"],
    ["maps.search", "no_credential"],
    ["browser.html", "no_worker"],
    ["events.search", "stopped"],
  ]);
  const here = { availabilityOf: ({ id }: { id: string }) => states.get(id) ?? "unknown" };
  const first = await catalogue.read(here);
  const entries = availableIn(first);
  expect(entries.size).toBe(operations.length);
  expect(
    ["seo.serp.search", "maps.search", "browser.html", "events.search"].map((id) =>
      entries.get(id),
    ),
  ).toEqual([true, false, false, false]);
  expect(entries.get("geo.serp")).toBeUndefined();
  expect(await catalogue.read(here)).toBe(first);
  states.set("maps.search", "available");
  expect(availableIn(await catalogue.read(here)).get("maps.search")).toBe(true);
});
