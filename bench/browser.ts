import { Gateway } from "../test/gateway.ts";
import { startSites } from "./browser-sites.ts";
import { type Figure, pairs, spread } from "./figures.ts";
import { load } from "./load.ts";
import { cpuBelow, cpuMs } from "./process.ts";
import { startRaw } from "./raw-browser.ts";
import { timed } from "./timed.ts";

/** Hosts that no earlier round has requested. */
const coldHosts = Array.from({ length: 1000 }, (_, n) => `127.1.${n >> 8}.${n & 255}`);

/** Results of one round. */
interface Seen {
  p50: number;
  perSecond: number;
}

/** Processor time of a job in milliseconds: in the browser, and in worker and API. */
interface Cost {
  browser: number;
  gateway: number;
}

/**
 * `/browser/markdown` and a screenshot beside raw Puppeteer with a new context for each page, on full Chromium
 * and on the headless shell, on the same pages in the same run.
 */
export async function browser(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const { seconds } = options;
  const sites = await startSites();
  const few = [1, 2, 3, 4].map((n) => sites.at(`127.0.0.${n}`));
  const many = coldHosts.map((host) => sites.at(host));
  const gateway = await Gateway.start({
    pools: "browser",
    env: { EGRESS_ALLOW: [...few, ...many].map((site) => site.address).join() },
  });
  const raw = { full: await startRaw("full"), shell: await startRaw("shell") };
  const watches: ReturnType<typeof cpuBelow>[] = [];
  const watched = (pid: number) => {
    const watch = cpuBelow(pid);
    watches.push(watch);
    return watch;
  };
  const belowRaw = { full: watched(raw.full.pid), shell: watched(raw.shell.pid) };
  let cold = 0;
  try {
    const { key } = await gateway.key({ credits: 1_000_000 });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const fewUrl = (index: number) => few[index % few.length]?.url ?? "";
    const ours = (
      atOnce: number,
      url: (index: number) => string,
      path = "/browser/markdown",
      more = {},
    ) =>
      load(gateway.url, atOnce, seconds, (index) => ({
        path,
        headers,
        body: JSON.stringify({ url: url(index), ...more }),
      }));
    const floor = (kind: "full" | "shell", atOnce: number, path = "", screenshot = false) =>
      timed(atOnce, seconds, (lane) => raw[kind].read(fewUrl(lane) + path, screenshot));

    const worker = gateway.workers[0]?.child.pid as number;
    const api = gateway.apis[0]?.process.child.pid as number;
    const below = watched(worker);
    const spent = (): Cost => {
      const own = cpuMs(worker) ?? Number.NaN;
      return { browser: below.ms(), gateway: own + (cpuMs(api) ?? Number.NaN) };
    };
    /** Jobs at full speed and what each of them cost. */
    const costOf = async (url: (index: number) => string) => {
      const before = spent();
      const { perSecond, p50, times } = await ours(4, url);
      const after = spent();
      const each = (of: keyof Cost) => (after[of] - before[of]) / times.length;
      return { p50, perSecond, browser: each("browser"), gateway: each("gateway") };
    };
    const rawCost = async (kind: "full" | "shell", path = "") => {
      const { pid } = raw[kind];
      const all = () => (cpuMs(pid) ?? Number.NaN) + belowRaw[kind].ms();
      const before = all();
      const seen = await floor(kind, 4, path);
      return { ...seen, browser: (all() - before) / seen.count };
    };

    const measureRound = async () => ({
      one: {
        full: await floor("full", 1),
        ours: await ours(1, fewUrl),
        shell: await floor("shell", 1),
      },
      four: {
        full: await rawCost("full"),
        ours: await costOf(fewUrl),
        shell: await rawCost("shell"),
      },
      cold: await ours(4, () => many[cold++ % many.length]?.url ?? ""),
      shot: {
        full: await floor("full", 4, "", true),
        ours: await ours(4, fewUrl, "/browser/screenshot", { full_page: true }),
        shell: await floor("shell", 4, "", true),
      },
      article: {
        full: await rawCost("full", "article"),
        ours: await costOf((index) => `${fewUrl(index)}article`),
        shell: await rawCost("shell", "article"),
      },
    });
    type Round = Awaited<ReturnType<typeof measureRound>>;
    // The first round warms up.
    await measureRound();
    const rounds: Round[] = [];
    for (let round = 0; round < options.rounds; round += 1) rounds.push(await measureRound());
    const compare = (
      name: string,
      goal: string,
      own: (round: Round) => Seen,
      other: (round: Round) => Seen,
      of: keyof Seen = "perSecond",
    ) =>
      pairs(
        name,
        of === "p50" ? "ms p50" : "calls/s",
        goal,
        rounds.map((round) => own(round)[of]),
        rounds.map((round) => other(round)[of]),
      );
    const cost = (
      name: string,
      goal: string,
      own: (round: Round) => number,
      other: (round: Round) => number,
    ) => pairs(name, "ms", goal, rounds.map(own), rounds.map(other));
    const one = (r: Round) => r.one.ours;
    const four = (r: Round) => r.four.ours;
    return [
      compare(
        "/browser/markdown, one at a time, against full Chromium",
        "≤ 0.5 x",
        one,
        (r) => r.one.full,
        "p50",
      ),
      compare("the same against the headless shell", "", one, (r) => r.one.shell, "p50"),
      compare("4 at once, against full Chromium", "≥ 3 x", four, (r) => r.four.full),
      compare("the same against the headless shell", "≥ 1.0 x", four, (r) => r.four.shell),
      compare(
        "4 at once, every call another site, against full Chromium",
        "≥ 3 x",
        (r) => r.cold,
        (r) => r.four.full,
      ),
      compare(
        "full-page screenshot, 4 at once, against full Chromium",
        "≥ 1.5 x",
        (r) => r.shot.ours,
        (r) => r.shot.full,
      ),
      compare(
        "the same against the headless shell",
        "",
        (r) => r.shot.ours,
        (r) => r.shot.shell,
      ),
      cost(
        "processor time of a job in the browser, against full Chromium",
        "",
        (r) => r.four.ours.browser,
        (r) => r.four.full.browser,
      ),
      cost(
        "the same against the headless shell",
        "",
        (r) => r.four.ours.browser,
        (r) => r.four.shell.browser,
      ),
      {
        name: "processor time of a job in worker and API",
        unit: "ms",
        goal: "",
        ours: spread(rounds.map((r) => r.four.ours.gateway)),
      },
      compare(
        "page of 30 pictures, 20 scripts, 300 KB of text, against full Chromium",
        "",
        (r) => r.article.ours,
        (r) => r.article.full,
      ),
      compare(
        "the same against the headless shell",
        "",
        (r) => r.article.ours,
        (r) => r.article.shell,
      ),
      cost(
        "its processor time in the browser, against the headless shell",
        "",
        (r) => r.article.ours.browser,
        (r) => r.article.shell.browser,
      ),
      {
        name: "its processor time in worker and API",
        unit: "ms",
        goal: "",
        ours: spread(rounds.map((r) => r.article.ours.gateway)),
      },
    ];
  } finally {
    for (const watch of watches) watch.stop();
    await Promise.all([raw.full.close(), raw.shell.close()]);
    await gateway.stop();
    sites.close();
  }
}
