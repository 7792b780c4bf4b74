import { afterAll, beforeAll, expect, test } from "vitest";
import type { CrawlData } from "../../contract/crawls.ts";
import { type CrawlSite, firstForm, startCrawlSite } from "../crawl-site.ts";
import { type Envelope, Gateway, until } from "../gateway.ts";

let site: CrawlSite;
let gateway: Gateway;
beforeAll(async () => {
  site = await startCrawlSite({ articles: 5, calendar: 2 });
  gateway = await Gateway.start({ pools: "browser,social", env: { EGRESS_ALLOW: site.address } });
});
afterAll(async () => {
  await gateway?.stop();
  await site?.stop();
});

test("a rendered crawl delivers each page once, and asks for nothing that the site closes", async () => {
  const { key, accountId } = await gateway.key({ credits: 100, rate: 10_000 });
  const started = await gateway.call<Envelope<CrawlData>>(key, "POST", "/web/crawl", {
    body: {
      url: `${site.url}/`,
      render: true,
      limit: 50,
      max_depth: 3,
      // A page of 11 MB.
      exclude: ["/huge", "/**?*sort=*"],
    },
  });
  expect(started.status, started.text).toBe(202);
  const { id } = started.body.data;
  let ended: CrawlData | undefined;
  await until(async () => {
    ended = (await gateway.call<Envelope<CrawlData>>(key, "GET", `/web/crawl/${id}`)).body.data;
    return ended.state === "ended";
  }, 120_000);
  const lines = await gateway.results(key, id);
  const failed = lines.filter(({ status }) => status !== 200).map(({ custom_id }) => custom_id);
  // By plain HTTP a circle of redirects is no page.
  const faults = [...site.faults, `${site.url}/round/1`].filter((url) => !url.endsWith("/huge"));
  expect(failed.toSorted(), JSON.stringify([ended, lines]).slice(0, 20_000)).toEqual(
    faults.toSorted(),
  );
  const delivered = lines.filter(({ status }) => status === 200);
  const paths = delivered.map(({ data }) => new URL((data as { url: string }).url).pathname);
  expect(paths.map(firstForm).toSorted()).toEqual([...site.pages].toSorted());
  const closed = [...site.visits.keys()].filter((path) =>
    /^\/(?:private\/(?!open)|secret)/.test(path),
  );
  expect(closed).toEqual([]);
  const balance = 100 - delivered.length;
  expect(await gateway.balance(accountId)).toEqual({ balance, held: 0 });
});
