import { join } from "node:path";
import type { Page } from "puppeteer";
import { one } from "../../client/src/calls.ts";
import { Transport } from "../../client/src/transport.ts";
import type { OwnGateway } from "./own-gateway.ts";

/** The troubles behind the twelve questions of docs/evidence/questions.md, and a picture of each answer. */

export interface Troubles {
  stop(): void;
}

/** Items of the batch that runs while the pictures are taken. */
const batchItems = 400;

/** Sends a change as the pages do. */
async function change(gateway: OwnGateway, path: string, fields: Record<string, string>) {
  const { dashboardsUrl: url, user, password } = gateway;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const answer = await fetch(url + path, {
    method: "POST",
    redirect: "manual",
    headers: { authorization, origin: new URL(url).origin },
    body: new URLSearchParams(fields),
  });
  if (answer.status !== 303) throw new Error(`${path} answers ${answer.status}`);
}

/** Live calls to an upstream that fails at times, a batch, and decisions of the operator. */
export async function startTroubles(gateway: OwnGateway): Promise<Troubles> {
  const key = await gateway.key("sample-agency", "live", 1000);
  const caller = new Transport({ key, baseUrl: gateway.apiUrl, retries: 0 });
  const route = { method: "POST", path: "/seo/backlinks/list" } as const;
  let sent = 0;
  const timer = setInterval(() => {
    const target = `page${(sent += 1)}.example.com`;
    // Some of them are meant to fail.
    void one(caller, route, { target, limit: 10 }, {}).catch(() => undefined);
  }, 700);
  const test = await gateway.key("sample-archive", "test");
  const items = Array.from({ length: batchItems }, (_, index) => ({
    custom_id: `page-${index}`,
    operation: "browser.html",
    input: { url: `${gateway.demoUrl}?page=${index}` },
  }));
  const submitted = await fetch(`${gateway.apiUrl}/batches`, {
    method: "POST",
    headers: { authorization: `Bearer ${test}`, "content-type": "application/json" },
    body: JSON.stringify({ items }),
  });
  if (!submitted.ok) throw new Error(`the batch was answered with ${submitted.status}`);
  const cap = { kind: "account", target: "sample-rush", effect: "cap", per_minute: "300" };
  await change(gateway, "/controls", { ...cap, minutes: "240", why: "their program loops" });
  await change(gateway, "/accounts/sample-newsdesk", {
    change: "budget",
    mode: "live",
    period: "day",
    credits: "5000",
    alert: "80",
    why: "agreed with them",
  });
  return { stop: () => clearInterval(timer) };
}

interface Shot {
  name: string;
  path: string;
  /** Heading at which the picture begins; without it the top of the page. */
  from?: string;
  height: number;
  /** For tables of many columns. */
  isWide?: true;
}

const shots: readonly Shot[] = [
  { name: "01-is-anything-wrong", path: "/", height: 398 },
  { name: "02-which-calls-fail", path: "/", from: "Errors of the last hour", height: 620 },
  { name: "03-what-happened-to-this-call", path: "failed call", height: 1100 },
  { name: "04-is-it-the-upstream", path: "/upstreams/dataforseo", height: 860 },
  { name: "05-is-our-account-refused", path: "/upstreams", height: 560 },
  { name: "06-why-is-this-pool-slow", path: "/pools/browser", height: 860 },
  { name: "07-do-more-workers-help", path: "/capacity?hours=1", height: 760 },
  {
    name: "08-how-is-it-stopped",
    path: "/accounts/sample-rush",
    from: "Limit or stop it",
    height: 470,
  },
  { name: "09-why-does-this-caller-get-errors", path: "/accounts/sample-agency", height: 620 },
  { name: "10-who-changed-what", path: "/changes", height: 620, isWide: true },
  { name: "11-do-all-processes-run", path: "/workers", height: 680, isWide: true },
  { name: "12-which-batches-get-through", path: "/work", height: 520, isWide: true },
];

const widths = { usual: 1000, wide: 1280 };

/** Takes the pictures with a page that is signed in; `tidy` is a script that each page runs before. */
export async function takeAnswers(
  page: Page,
  { dashboardsUrl }: OwnGateway,
  { folder, tidy }: { folder: string; tidy: string },
): Promise<string[]> {
  await page.goto(`${dashboardsUrl}/calls?status=failed&mode=live&hours=1`);
  const failed = await page.$eval("td a[href^='/calls/svc_']", (link) => link.getAttribute("href"));
  const paths: string[] = [];
  for (const { name, path, from, height, isWide } of shots) {
    const width = isWide ? widths.wide : widths.usual;
    await page.setViewport({ width, height: 1000 });
    const address = path === "failed call" ? `${failed}` : path;
    const answer = await page.goto(dashboardsUrl + address, { waitUntil: "load" });
    if (answer?.status() !== 200) throw new Error(`${address} answers ${answer?.status()}`);
    await page.evaluate(tidy);
    const y = Number(
      await page.evaluate(
        `${from === undefined ? 0 : `[...document.querySelectorAll("h2")].find((head) => head.textContent.startsWith(${JSON.stringify(from)})).getBoundingClientRect().top + scrollY - 20`}`,
      ),
    );
    const whole = Number(await page.evaluate("document.documentElement.scrollHeight"));
    const taken = join(folder, `${name}.webp`) as `${string}.webp`;
    const clip = { x: 0, y, width, height: Math.min(height, whole - y) };
    await page.screenshot({ path: taken, type: "webp", quality: 80, clip });
    paths.push(taken);
  }
  return paths;
}
