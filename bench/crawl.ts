import { setTimeout as sleep } from "node:timers/promises";
import type { CrawlData } from "../contract/crawls.ts";
import { startCrawlSite } from "../test/crawl-site.ts";
import { type Envelope, Gateway, until } from "../test/gateway.ts";
import { type Figure, pairs } from "./figures.ts";
import { load } from "./load.ts";

const atOnce = 16;
const callers = 16;
const againMs = 100;
/** The pages that calls render, and those that lead to them: neither the traps of the site nor its page of 11 MB. */
const rendered = ["/section/*", "/article/*"];
/** Articles for each second of a round: more than are rendered in it. */
const articlesPerSecond = 20;
/** Items of crawls come after callers, who count as at work for 5 s after their last call. */
const callersGoneMs = 6000;
const crawlLimitMs = 3_000_000;

/**
 * A rendered crawl of a generated site beside calls that render the same pages, as many at once, both with the usual
 * settings: pages a second.
 */
export async function crawl(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const site = await startCrawlSite({
    articles: Math.ceil(options.seconds * articlesPerSecond),
    calendar: 1,
  });
  const gateway = await Gateway.start({
    pools: "browser,social",
    env: { EGRESS_ALLOW: site.address },
  });
  try {
    const newKey = () => gateway.key({ credits: 1_000_000, rate: 10_000 });
    const { key } = await newKey();
    const others = await Promise.all(Array.from({ length: callers }, newKey));
    const articles = [...site.pages].filter((path) => path.startsWith("/article/"));
    const calls = () =>
      load(
        gateway.url,
        atOnce,
        options.seconds,
        (index) => ({
          path: "/web/snapshot",
          headers: {
            authorization: `Bearer ${others[index % callers]?.key}`,
            "content-type": "application/json",
          },
          body: JSON.stringify({
            url: site.url + articles[index % articles.length],
            formats: ["markdown"],
            timeout_ms: 60_000,
          }),
        }),
        { againMs },
      );
    const crawled = async () => {
      const limit = Math.ceil((await calls()).perSecond * options.seconds);
      await sleep(callersGoneMs);
      const from = performance.now();
      const started = await gateway.call<Envelope<CrawlData>>(key, "POST", "/web/crawl", {
        body: {
          url: `${site.url}/`,
          limit,
          render: true,
          include: rendered,
          max_concurrency: atOnce,
          formats: ["markdown"],
        },
      });
      const { id } = started.body.data;
      let seen = started.body.data;
      await until(async () => {
        const answer = await gateway.call<Envelope<CrawlData>>(key, "GET", `/web/crawl/${id}`);
        seen = answer.body.data;
        return seen.state === "ended";
      }, crawlLimitMs);
      await gateway.results(key, id);
      return (seen.pages.delivered / (performance.now() - from)) * 1000;
    };

    // The slots follow the machine.
    await calls();
    const rounds: { crawl: number; calls: number }[] = [];
    for (let round = 0; round < options.rounds; round += 1) {
      const floor = (await calls()).perSecond;
      rounds.push({ crawl: await crawled(), calls: floor });
    }
    return [
      pairs(
        `a rendered crawl, ${atOnce} pages at once, against calls for the same pages`,
        "pages/s",
        "≥ 1 x",
        rounds.map((one) => one.crawl),
        rounds.map((one) => one.calls),
      ),
    ];
  } finally {
    await gateway.stop();
    await site.stop();
  }
}
