import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fewThreads } from "../../../worker/browser/chromium/cpu-scheduler.ts";
import { html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

/** Enough that pages which want a processor bind first. */
const slots = 2 * fewThreads;

let rig: Rig;
let site: Site;
const held: ServerResponse[] = [];
beforeAll(async () => {
  site = await startSite((request, response) => {
    if (request.url === "/held") held.push(response);
    else if (request.url === "/known") html(response, "<p>known</p>");
    else html(response, "<p>burning</p><script>for (;;);</script>");
  });
  rig = await startRig({
    egressAllow: [`127.0.0.1:${site.port}`],
    slots,
    followsMachine: true,
  });
  // Memory admits few pages until the size of one is known.
  await rig.run("browser.html", { url: `${site.origin}/known` });
});
afterAll(async () => {
  await rig.close();
  await site.close();
});

const render = (path: string, count: number, signal?: AbortSignal) =>
  Array.from({ length: count }, (_, index) =>
    rig.run(
      "browser.html",
      { url: `${site.origin}${path}` },
      // Accounts below half of the slots.
      { tenant: `tenant-${index % 4}`, ...(signal && { signal }) },
    ),
  );

test("pages that only wait are open together, up to the slots", async () => {
  const pages = render("/held", slots);
  await expect.poll(() => held.length, { timeout: 60_000 }).toBe(slots);
  expect(rig.pool.takeWindow(1).running).toBe(slots);
  for (const response of held) html(response, "<p>good</p>");
  for (const page of await Promise.all(pages)) expect(page.html).toContain("good");
});

test("beside pages that burn the processors no further ones begin", async () => {
  rig.pool.takeWindow(1);
  const over = new AbortController();
  rig.pool.resize(3 * fewThreads);
  const pages = Promise.allSettled(render("/burning", 3 * fewThreads, over.signal));
  const begun = () => site.hits.filter((path) => path === "/burning").length;
  await expect.poll(begun, { timeout: 60_000 }).toBeGreaterThan(0);
  await sleep(1500);
  // On a busy machine a page may take longer to begin its work than others to open.
  expect(begun()).toBeLessThan(3 * fewThreads);
  expect(rig.pool.takeWindow(1)).toMatchObject({ isHeldBack: true });
  over.abort();
  await pages;
});
