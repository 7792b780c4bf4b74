import { afterAll, beforeAll, expect, test } from "vitest";
import type { CrawlData } from "../../contract/crawls.ts";
import { type CrawlSite, firstForm, startCrawlSite } from "../crawl-site.ts";
import { type Envelope, Gateway, until } from "../gateway.ts";
import { full } from "./full.ts";

/** Articles of the site; a kill of the worker or the API at each of these times or steps, in turns. */
const plan = full ? { articles: 10_000, everyMs: 20_000 } : { articles: 200, kills: 2 };
const calendar = full ? 100 : 10;
const atOnce = 32;

let site: CrawlSite;
let gateway: Gateway;
beforeAll(async () => {
  site = await startCrawlSite({ articles: plan.articles, calendar });
  gateway = await Gateway.start({ pools: "social", env: { EGRESS_ALLOW: site.address } });
  if (full) {
    await gateway.startApi();
    await gateway.startWorker({ WORKER_POOLS: "social" });
  }
});
afterAll(async () => {
  await gateway?.stop();
  await site?.stop();
});

const late = (error: Error) => console.log(`not ready yet: ${error.message}`);

/** Asks any living API process; undefined where none answers. */
async function state(key: string, id: string): Promise<CrawlData | undefined> {
  for (const { url } of gateway.apis) {
    const answer = await gateway
      .call<Envelope<CrawlData>>(key, "GET", `/web/crawl/${id}`, { url })
      .catch(() => undefined);
    if (answer?.status === 200) return answer.body.data;
  }
  return undefined;
}

async function killWorker(): Promise<void> {
  const [worker] = gateway.workers.splice(0, 1);
  await worker?.kill("SIGKILL");
  await gateway.startWorker({ WORKER_POOLS: "social" }).catch(late);
}

async function killApi(): Promise<void> {
  const [api] = gateway.apis.splice(0, 1);
  await api?.process.kill("SIGKILL");
  await gateway.startApi().catch(late);
}

test(`a crawl of ${plan.articles} articles outlives kills of every process: every page once, and the books agree`, async () => {
  const credits = plan.articles * 3;
  const { key, accountId } = await gateway.key({ credits, rate: 10_000 });
  const startedAt = Date.now();
  const accepted = await gateway.call<Envelope<CrawlData>>(key, "POST", "/web/crawl", {
    body: {
      url: `${site.url}/`,
      limit: 50_000,
      max_depth: full ? 1000 : calendar + 1,
      exclude: ["/**?*sort=*"],
      max_concurrency: atOnce,
    },
    headers: { "idempotency-key": "the-crawl" },
  });
  expect(accepted.status, accepted.text).toBe(202);
  const { id } = accepted.body.data;

  let latest: CrawlData | undefined;
  let kills = 0;
  let nextKill = startedAt + (plan.everyMs ?? 0);
  const isDue = () => {
    if (plan.everyMs !== undefined) return Date.now() >= nextKill;
    return (
      kills < plan.kills && (latest?.pages.delivered ?? 0) >= ((kills + 1) * plan.articles) / 4
    );
  };
  await until(async () => {
    latest = (await state(key, id)) ?? latest;
    if (latest?.state === "ended") return true;
    if (isDue()) {
      await (kills % 2 === 0 ? killWorker() : killApi());
      kills += 1;
      nextKill = Date.now() + (plan.everyMs ?? 0);
    }
    return false;
  }, 3_000_000);
  const seconds = (Date.now() - startedAt) / 1000;

  const lines = await gateway.results(key, id);
  const delivered = lines.filter(({ status }) => status === 200);
  const failed = lines.filter(({ status }) => status !== 200);
  console.log(
    `a crawl: ${delivered.length} pages in ${seconds.toFixed(1)} s, ${(delivered.length / seconds).toFixed(0)} a second, ${kills} kills, at most ${site.mostAtOnce()} requests at once, ${JSON.stringify(latest?.pages)}`,
  );

  // Every page that should be there once, and none that should not.
  const forms = delivered.map(({ data }) =>
    firstForm(new URL((data as { url: string }).url).pathname),
  );
  expect(forms.toSorted()).toEqual([...site.pages].toSorted());
  expect(failed.map(({ custom_id }) => custom_id).toSorted()).toEqual([...site.faults].toSorted());
  expect(new Set(lines.map(({ custom_id }) => custom_id)).size).toBe(lines.length);
  expect(lines.map(({ sequence }) => sequence)).toEqual(lines.map((_, index) => index + 1));

  // The site was asked for nothing that it closed, nor for more at once than allowed.
  const closed = [...site.visits.keys()].filter((path) =>
    /^\/(?:private\/(?!open)|secret)|sort=|utm_/.test(path),
  );
  expect(closed).toEqual([]);
  expect(site.mostAtOnce()).toBeLessThanOrEqual(atOnce);

  // The ledger is what the lines say.
  const charged = lines.reduce((sum, line) => sum + (line.billing?.credits_charged ?? 0), 0);
  expect(charged).toBe(delivered.length);
  expect(latest).toMatchObject({ credits: { held: 0, charged }, stopped_by: null });
  expect(latest?.pages).toMatchObject({ delivered: delivered.length, waiting: 0 });
  expect(await gateway.balance(accountId)).toEqual({ balance: credits - charged, held: 0 });
  expect(await gateway.violations()).toEqual([]);
}, 3_600_000);
