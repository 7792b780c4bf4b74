import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Gateway, until } from "../../gateway.ts";
import type { Envelope, ErrorEnvelope } from "../../gateway.ts";
import { full } from "../../faults/full.ts";
import { pageLimits } from "../../../worker/browser/chromium/cpu-scheduler.ts";
import { renderersBelow } from "./processes.ts";
import { html, startSite } from "./rig.ts";
import type { Site } from "./rig.ts";

/** Pages as large as those of real callers. They take seconds, on a busy machine many, so they get a minute. */

let gateway: Gateway;
/** A gateway that leaves a page half a second of processor time. */
let short: Gateway;
let site: Site;
const paragraph = (number: number, length: number, filler = "-") =>
  `<p>${`text ${number} `.padEnd(length, filler)}</p>`;
const paragraphs = (count: number, length: number, filler?: string) =>
  Array.from({ length: count }, (_, number) => paragraph(number, length, filler)).join("");
/** More than a page may have. */
const workers = pageLimits.workers + 8;
/** Half as many as a page of 200,000 nodes has, where other tests run beside. */
const large = full ? 100_000 : 50_000;
const pages: Record<string, () => string> = {
  // As many text nodes as elements, 10 MB.
  "/large": () => paragraphs(large, 9_300_000 / large),
  // More than the share of its limit from which on a page collects its garbage.
  "/keeps": () => `<p>kept</p><script>
    const kept = Array.from({ length: 70 }, () => new Uint8Array(1e7).fill(1));
    const unused = new WeakRef({});
    setInterval(() => { if (!unused.deref()) document.querySelector("p").id = "collected"; }, 50);
    </script>`,
  // Its second request comes when the browser's main process has long known the page.
  "/waits": () =>
    "<p>waits</p><script>setTimeout(() => fetch('/later'), 300)</script><img src=/never>",
  // Larger than a result may be, in few characters, which are not laid out: that takes memory, which has a limit too.
  "/larger": () => `<img src="/dot.svg" width=9 height=9 alt="${"—".repeat(20_000)}">`.repeat(600),
  "/computes": () => "<p>busy</p><script>for(;;);</script>",
  "/workers": () =>
    `<img src="/never"><script>for(let i=0;i<${workers};i++)new Worker(URL.createObjectURL(new Blob([""])))</script>`,
};

beforeAll(async () => {
  site = await startSite((request, response) => {
    const page = pages[request.url ?? ""];
    if (request.url === "/never") return;
    if (request.url === "/dot.svg") {
      response.writeHead(200, { "content-type": "image/svg+xml" });
      response.end('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
      return;
    }
    if (page === undefined) html(response, "no such sample", 404);
    else html(response, `<!doctype html><title>Large</title>${page()}`);
  });
  const options = { pools: "browser", env: { EGRESS_ALLOW: `127.0.0.1:${site.port}` } };
  [gateway, short] = await Promise.all([
    Gateway.start(options),
    Gateway.start({ ...options, without: "most of a page's processor time" }),
  ]);
});
afterAll(async () => {
  await Promise.all([gateway?.stop(), short?.stop()]);
  await site?.close();
});

/** The answer to a call of an account of its own, and its balance afterwards. */
async function markdown(path: string, at = gateway, options: object = {}) {
  const { key, accountId } = await at.key({ credits: 10 });
  const from = Date.now();
  const answer = await at.call<Envelope<{ markdown: string }> & ErrorEnvelope>(
    key,
    "POST",
    "/browser/markdown",
    { body: { url: site.origin + path, timeout_ms: 60_000, ...options } },
  );
  const { error } = answer.body;
  console.log(`${path}: ${answer.status} ${error?.message ?? ""} after ${Date.now() - from} ms`);
  return { ...answer, balance: await at.balance(accountId) };
}

const free = { balance: 10, held: 0 };

test(`a page of ${2 * large} nodes and 10 MB is rendered whole`, async () => {
  const { status, text, body, balance } = await markdown("/large");
  expect([status, text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  const paragraphsRead = body.data.markdown.split("\n\n");
  expect(paragraphsRead).toHaveLength(large);
  expect(paragraphsRead.at(-1)).toContain(`text ${large - 1} `);
  expect(balance).toEqual({ balance: 9, held: 0 });
});

test.runIf(process.platform === "linux")("a page near its limit collects its garbage", async () => {
  const shown = { wait_for_selector: "#collected" };
  const { status, text } = await markdown("/keeps", gateway, shown);
  expect([status, text.slice(0, 300)]).toEqual([200, expect.any(String)]);
});

describe.runIf(process.platform === "linux").concurrent("a page that is ended", () => {
  test("for its share of the processors is an upstream's error, and free", async () => {
    const { status, body, balance } = await markdown("/workers");
    expect([status, body.error.type]).toEqual([502, "upstream_error"]);
    expect(body.error.message).toContain("processor time or workers");
    expect(balance).toEqual(free);
  });

  test("for its processor time is an upstream's error, and free", async () => {
    const { status, body, balance } = await markdown("/computes", short);
    expect([status, body.error.type]).toEqual([502, "upstream_error"]);
    expect(body.error.message).toContain("processor time");
    expect(short.workers[0]?.log()).toContain('"limit":"processor time"');
    expect(balance).toEqual(free);
  });
});

// Alone: on a full machine others leave too little of the processors to such a page.
test.runIf(full)("a page of 36 MB is refused as over its limit, and free", async () => {
  const { status, body, balance } = await markdown("/larger");
  expect([status, body.error.type]).toEqual([502, "upstream_error"]);
  expect(body.error.message).toMatch(/^The page is over its limit: /);
  expect(balance).toEqual(free);
});

test("a page that crashes is reported as crashed, and free", async () => {
  const worker = gateway.workers[0]?.child.pid as number;
  const before = await renderersBelow(worker);
  site.hits.length = 0;
  const answer = markdown("/waits");
  await until(() => site.hits.includes("/later"));
  for (const pid of await renderersBelow(worker)) {
    if (!before.includes(pid)) process.kill(pid, "SIGABRT");
  }
  const { status, body, balance } = await answer;
  expect([status, body.error.type]).toEqual([502, "upstream_error"]);
  expect(body.error.message).toMatch(/^The page crashed/);
  expect(balance).toEqual(free);
});
