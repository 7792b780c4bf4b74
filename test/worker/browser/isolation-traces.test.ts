import { afterAll, beforeAll, expect, test } from "vitest";
import { launch } from "../../../worker/browser/chromium/launch.ts";
import type { LaunchedBrowser } from "../../../worker/browser/chromium/launch.ts";
import { chromium, settled, startRig } from "./rig.ts";
import type { Rig } from "./rig.ts";
import { shareOf, startBareChromium } from "./shared-context.ts";
import type { BareChromium } from "./shared-context.ts";
import { startTraceSite } from "./trace-site.ts";
import type { TraceSite } from "./trace-site.ts";
import { traceGroups, traces } from "./traces.ts";
import type { Trace } from "./traces.ts";

let site: TraceSite;
let rig: Rig;
let bare: BareChromium;
let flagged: LaunchedBrowser;
let trial = 0;

beforeAll(async () => {
  site = await startTraceSite();
  [rig, bare, flagged] = await Promise.all([
    // A context is what keeps SharedWorkers of two jobs apart.
    startRig({ egressAllow: [site.address], withholdNothing: true }),
    startBareChromium(),
    launch({
      ...chromium(),
      withholdNothing: true,
      args: ["--proxy-server=direct://", "--host-resolver-rules="],
    }),
  ]);
});
afterAll(async () => {
  await Promise.all([rig.close(), bare.close(), flagged.dispose()]);
  await site.close();
});

/** Four at a time, as many as there are slots. */
async function inFours<T>(list: readonly T[], run: (four: readonly T[]) => Promise<void>) {
  for (let at = 0; at < list.length; at += 4) await run(list.slice(at, at + 4));
}

const foundIn = (page: string) => /id="found">(planted|seen):([^<]*)</.exec(page)?.[2];

async function plant(names: readonly string[], v: string, tenant: string, hold = false) {
  const url = site.plantUrl(names, v, { hold });
  return foundIn((await rig.run("browser.html", { url }, { tenant })).html);
}

/** Traces that a job finds, in its page and in its requests. */
async function findTraces(v: string, tenant: string, bounced = false): Promise<string[]> {
  site.begin(v);
  const { html } = await rig.run("browser.html", { url: site.readUrl(v, { bounced }) }, { tenant });
  const inPage = foundIn(html);
  if (inPage === undefined) return [`no report: ${html.slice(0, 500)}`];
  return [...inPage.split(",").filter(Boolean), ...site.observed(v)];
}

test("case 32: a later job finds nothing of an earlier one, of the same account or another", async () => {
  const found: [string[], string, string[]][] = [];
  await inFours(traceGroups, async (four) => {
    const trials = four.map((group) => ({
      names: group.map(({ name }) => name),
      bounced: group.some(({ bounced }) => bounced),
      v: `v${(trial += 1)}`,
    }));
    await Promise.all(trials.map(({ names, v }) => plant(names, v, v)));
    await settled(rig);
    for (const who of ["same", "another"]) {
      await Promise.all(
        trials.map(async ({ names, bounced, v }) => {
          const tenant = who === "same" ? v : `${v}-other`;
          found.push([names, who, await findTraces(v, tenant, bounced)]);
        }),
      );
      await settled(rig);
    }
  });
  expect(found.filter(([, , seen]) => seen.length > 0)).toEqual([]);
  expect(found.flatMap(([names]) => names)).toHaveLength(traces.length * 2);
});

test("case 32: a job finds nothing of one at another site, before or beside it", async () => {
  // A prefetch of the reading page would run it with requests like the reader's.
  const all = traces
    .filter(({ bounced, shows }) => !bounced && shows !== "cache:document")
    .map(({ name }) => name);
  await plant(all, "all", "t");
  await settled(rig);
  await rig.run("browser.html", { url: `http://${site.address}/frame-plant?v=x` }, { tenant: "t" });
  await settled(rig);
  expect(await findTraces("all", "t")).toEqual([]);

  const ready = site.planted("beside");
  const open = plant(all, "beside", "t", true);
  await ready;
  expect(await findTraces("beside", "t")).toEqual([]);
  expect(await findTraces("beside", "u")).toEqual([]);
  site.leave("beside");
  expect(await open).toBeDefined();
});

test("in one context for both the same pages find each of them", async () => {
  const missed: [string, string[], string | undefined][] = [];
  await inFours(traceGroups, async (four) => {
    await Promise.all(
      four.map(async (group) => {
        const { seen, failed } = await lookUnprotected(group, `bare${(trial += 1)}`);
        for (const { name, shows } of group) {
          if (!seen.includes(shows)) missed.push([name, seen, failed]);
        }
      }),
    );
  });
  expect(missed).toEqual([]);
});

async function lookUnprotected(group: readonly Trace[], v: string) {
  const has = (property: "beside" | "bounced" | "granted" | "byOurFlags") =>
    group.some((trace) => trace[property]);
  const shared = await (has("byOurFlags") ? shareOf(flagged.browser) : bare.share());
  try {
    if (has("granted")) {
      const origin = new URL(site.readUrl(v)).origin;
      await shared.context.overridePermissions(origin, [
        "geolocation",
        "clipboard-read",
        "clipboard-sanitized-write",
      ]);
    }
    const first = await shared.open();
    // Only pages with the focus can use the clipboard.
    const session = await first.createCDPSession();
    await session.send("Emulation.setFocusEmulationEnabled", { enabled: true });
    const names = group.map(({ name }) => name);
    await first.goto(site.plantUrl(names, v));
    const failed = foundIn(await first.content());
    const reader = has("beside") ? await shared.open() : first;
    site.begin(v);
    await reader.goto(site.readUrl(v, { bounced: has("bounced") }));
    const inPage = foundIn(await reader.content());
    return { seen: [...(inPage ?? "no report").split(","), ...site.observed(v)], failed };
  } finally {
    await shared.close();
  }
}
