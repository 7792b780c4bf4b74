import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer";
import type { Page } from "puppeteer";
import { Gateway } from "../test/gateway.ts";
import { type Figure, pairs } from "./figures.ts";
import { load } from "./load.ts";
import { timed } from "./timed.ts";

/** A page that renders itself after 20 ms. */
const page = `<!doctype html><title>Page</title><main></main><script>
setTimeout(() => { document.querySelector("main").innerHTML = "<h1>Rendered</h1>" + "<p>text of a paragraph</p>".repeat(40); }, 20);
</script>`;

/** One server under every loopback address: to Chromium each host is a site of its own. */
async function startSites() {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(page);
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    at: (host: string) => ({ url: `http://${host}:${port}/`, address: `${host}:${port}` }),
    close: () => server.close(),
  };
}

/** Puppeteer with its own flags, in the sandbox the gateway's Chromium runs in. */
async function startRaw() {
  const home = await mkdtemp(join(tmpdir(), "bench-chromium-"));
  const launcher = JSON.parse(process.env["TEST_CHROMIUM_LAUNCHER"] ?? "[]") as string[];
  const script = join(home, "chromium.sh");
  const words = [...launcher, process.env["TEST_CHROMIUM"] as string].map((word) => `'${word}'`);
  await writeFile(script, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`, { mode: 0o700 });
  const chromium = await puppeteer.launch({
    executablePath: script,
    pipe: true,
    userDataDir: join(home, "profile"),
  });
  return {
    chromium,
    async close() {
      await chromium.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** Hosts nobody has asked for before. */
const coldHosts = Array.from({ length: 1000 }, (_, n) => `127.1.${n >> 8}.${n & 255}`);

async function read(tab: Page, url: string): Promise<void> {
  await tab.goto(url, { waitUntil: "load" });
  await tab.evaluate(
    () =>
      (globalThis as unknown as { document: { body: { innerText: string } } }).document.body
        .innerText,
  );
}

/** `/browser/markdown` and a screenshot beside raw Puppeteer on the same pages in the same run. */
export async function browser(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const sites = await startSites();
  const few = [1, 2, 3, 4].map((n) => sites.at(`127.0.0.${n}`));
  const many = coldHosts.map(sites.at);
  const urls = few.map((site) => site.url);
  const gateway = await Gateway.start({
    pools: "browser",
    env: { EGRESS_ALLOW: [...few, ...many].map((site) => site.address).join() },
  });
  const raw = await startRaw();
  const { chromium } = raw;
  let cold = 0;
  try {
    const { key } = await gateway.key({ credits: 1_000_000 });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const ours = (atOnce: number, seconds: number, path = "/browser/markdown", more = {}) =>
      load(gateway.url, atOnce, seconds, (index) => ({
        path,
        headers,
        body: JSON.stringify({ url: urls[index % urls.length], ...more }),
      }));
    const unknown = (atOnce: number, seconds: number) =>
      load(gateway.url, atOnce, seconds, () => ({
        path: "/browser/markdown",
        headers,
        body: JSON.stringify({ url: many[cold++ % many.length]?.url }),
      }));
    const fresh = (screenshot: boolean) => async (lane: number) => {
      const context = await chromium.createBrowserContext();
      const tab = await context.newPage();
      await read(tab, urls[lane % urls.length] as string);
      if (screenshot) {
        await tab.setViewport({ width: 1920, height: 1080 });
        await tab.screenshot({ fullPage: true });
      }
      await context.close();
    };
    const kept = await Promise.all(urls.map(() => chromium.newPage()));
    const reused = (lane: number) => read(kept[lane] as Page, urls[lane] as string);

    const seen = {
      one: { ours: [] as number[], fresh: [] as number[], reused: [] as number[] },
      four: { ours: [] as number[], fresh: [] as number[], reused: [] as number[] },
      cold: { ours: [] as number[] },
      shot: { ours: [] as number[], fresh: [] as number[] },
    };
    for (let round = 0; round <= options.rounds; round += 1) {
      const { seconds } = options;
      const figures = {
        fresh1: await timed(1, seconds, fresh(false)),
        ours1: await ours(1, seconds),
        reused1: await timed(1, seconds, reused),
        fresh4: await timed(4, seconds, fresh(false)),
        ours4: await ours(4, seconds),
        cold4: await unknown(4, seconds),
        reused4: await timed(4, seconds, reused),
        shotFresh: await timed(4, seconds, fresh(true)),
        shotOurs: await ours(4, seconds, "/browser/screenshot", { full_page: true }),
      };
      if (round === 0) continue;
      seen.one.fresh.push(figures.fresh1.p50);
      seen.one.ours.push(figures.ours1.p50);
      seen.one.reused.push(figures.reused1.p50);
      seen.four.fresh.push(figures.fresh4.perSecond);
      seen.four.ours.push(figures.ours4.perSecond);
      seen.cold.ours.push(figures.cold4.perSecond);
      seen.four.reused.push(figures.reused4.perSecond);
      seen.shot.fresh.push(figures.shotFresh.perSecond);
      seen.shot.ours.push(figures.shotOurs.perSecond);
    }
    const { one, four, cold: mix, shot } = seen;
    return [
      pairs(
        "/browser/markdown, one at a time, against a new context",
        "ms p50",
        "≤ 0.6 x",
        one.ours,
        one.fresh,
      ),
      pairs("the same against one reused page", "ms p50", "", one.ours, one.reused),
      pairs(
        "/browser/markdown, 4 at once, against new contexts",
        "calls/s",
        "≥ 3 x",
        four.ours,
        four.fresh,
      ),
      pairs(
        "4 at once, every call another site, against new contexts",
        "calls/s",
        "",
        mix.ours,
        four.fresh,
      ),
      pairs("the same against reused pages", "calls/s", "", four.ours, four.reused),
      pairs(
        "full-page screenshot, 4 at once, against new contexts",
        "calls/s",
        "≥ 0.9 x",
        shot.ours,
        shot.fresh,
      ),
    ];
  } finally {
    await raw.close();
    await gateway.stop();
    sites.close();
  }
}
