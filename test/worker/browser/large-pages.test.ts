import { afterAll, beforeAll, expect, test } from "vitest";
import { Gateway, until } from "../../gateway.ts";
import type { Envelope, ErrorEnvelope } from "../../gateway.ts";
import { pageLimits } from "../../../worker/browser/chromium/cpu-scheduler.ts";
import { renderersBelow } from "./processes.ts";
import { html, startSite } from "./rig.ts";
import type { Site } from "./rig.ts";

/**
 * Pages of 200,000 nodes, like those of real callers. They take seconds, on a busy machine many, so
 * they get a minute.
 */

let gateway: Gateway;
let site: Site;
let key: string;
let accountId: number;
const paragraph = (number: number, length: number) =>
  `<p>${`text ${number} `.padEnd(length, "-")}</p>`;
const paragraphs = (count: number, length: number) =>
  Array.from({ length: count }, (_, number) => paragraph(number, length)).join("");
/** More than a page may have. */
const workers = pageLimits.workers + 8;
const pages: Record<string, () => string> = {
  // As many text nodes as elements, 10 MB.
  "/large": () => paragraphs(100_000, 93),
  "/waits": () => "<p>waits</p><img src=/never>",
  // Larger than a result may be.
  "/larger": () => paragraphs(300, 120_000),
  "/computes": () => "<p>busy</p><script>for(;;);</script>",
  "/workers": () =>
    `<img src="/never"><script>for(let i=0;i<${workers};i++)new Worker(URL.createObjectURL(new Blob([""])))</script>`,
};

beforeAll(async () => {
  site = await startSite((request, response) => {
    const page = pages[request.url ?? ""];
    if (request.url === "/never") return;
    if (page === undefined) html(response, "no such sample", 404);
    else html(response, `<!doctype html><title>Large</title>${page()}`);
  });
  gateway = await Gateway.start({
    pools: "browser",
    env: { EGRESS_ALLOW: `127.0.0.1:${site.port}` },
  });
  ({ key, accountId } = await gateway.key({ credits: 10 }));
});
afterAll(async () => {
  await gateway?.stop();
  await site?.close();
});

async function markdown(path: string) {
  const from = Date.now();
  const answer = await gateway.call<Envelope<{ markdown: string }> & ErrorEnvelope>(
    key,
    "POST",
    "/browser/markdown",
    { body: { url: site.origin + path, timeout_ms: 60_000 } },
  );
  const { error } = answer.body;
  console.log(`${path}: ${answer.status} ${error?.message ?? ""} after ${Date.now() - from} ms`);
  return answer;
}

test("a page of 200,000 nodes and 10 MB is rendered whole", async () => {
  const { status, text, body } = await markdown("/large");
  expect([status, text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  const paragraphsRead = body.data.markdown.split("\n\n");
  expect(paragraphsRead).toHaveLength(100_000);
  expect(paragraphsRead.at(-1)).toContain("text 99999 ");
  expect((await gateway.balance(accountId)).balance).toBe(9);
});

test("a page of 36 MB is refused as over its limit, and free", async () => {
  const { status, body } = await markdown("/larger");
  expect([status, body.error.type]).toEqual([502, "upstream_error"]);
  expect(body.error.message).toMatch(/^The page is over its limit: /);
  expect((await gateway.balance(accountId)).balance).toBe(9);
});

test.runIf(process.platform === "linux")(
  "a page ended for its share of the processors is an upstream's error, and free",
  async () => {
    const { status, body } = await markdown("/workers");
    expect([status, body.error.type]).toEqual([502, "upstream_error"]);
    expect(body.error.message).toContain("processor time or workers");
    const { balance, held } = await gateway.balance(accountId);
    expect([balance, held]).toEqual([9, 0]);
  },
);

test.runIf(process.platform === "linux")(
  "a page that is ended for its processor time is an upstream's error, and free",
  async () => {
    const short = await Gateway.start({
      pools: "browser",
      env: { EGRESS_ALLOW: `127.0.0.1:${site.port}` },
      without: "most of a page's processor time",
    });
    try {
      const caller = await short.key({ credits: 10 });
      const { status, body } = await short.call<ErrorEnvelope>(
        caller.key,
        "POST",
        "/browser/html",
        {
          body: { url: `${site.origin}/computes`, timeout_ms: 60_000 },
        },
      );
      expect([status, body.error.type]).toEqual([502, "upstream_error"]);
      expect(body.error.message).toContain("processor time");
      expect(short.workers[0]?.log()).toContain('"limit":"processor time"');
      expect(await short.balance(caller.accountId)).toEqual({ balance: 10, held: 0 });
    } finally {
      await short.stop();
    }
  },
);

test("a page that crashes is reported as crashed, and free", async () => {
  const worker = gateway.workers[0]?.child.pid as number;
  const { balance } = await gateway.balance(accountId);
  const before = await renderersBelow(worker);
  site.hits.length = 0;
  const answer = markdown("/waits");
  await until(() => site.hits.includes("/never"));
  for (const pid of await renderersBelow(worker)) {
    if (!before.includes(pid)) process.kill(pid, "SIGABRT");
  }
  const { status, body } = await answer;
  expect([status, body.error.type]).toEqual([502, "upstream_error"]);
  expect(body.error.message).toMatch(/^The page crashed/);
  expect((await gateway.balance(accountId)).balance).toBe(balance);
});
