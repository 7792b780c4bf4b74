import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { html, pause, settled, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;
let other: Site;

/** Leaves what most pages leave, and shows what was there before. */
const usual = `<!doctype html><link rel=icon href="data:,"><p id=found></p><script>
const seen = [document.cookie, localStorage.length, sessionStorage.length, window.name, history.length];
document.cookie = "trace=1;max-age=999"; localStorage.trace = 1; sessionStorage.trace = 1; window.name = "trace";
history.pushState({ trace: 1 }, "", "#trace");
indexedDB.open("trace"); caches.open("trace");
found.textContent = "seen:" + seen.join();
</script><img src=/cached>`;

const script = (text: string) => `<!doctype html><script>${text}</script><p>body</p>`;
const worker = (text: string) => script(text) + `<img src=/later>`;

/** A page for everything that ends a context; `other` stands for a second origin. */
const tainted: Record<string, string | ((response: ServerResponse) => void)> = {
  "/frame": "<iframe src=other></iframe>",
  "/opaque-frame": "<iframe sandbox srcdoc=x></iframe>",
  "/data-frame": "<iframe src='data:text/html,x'></iframe>",
  "/moves-on": script("location.href='other'"),
  "/popup": script("open('/usual')") + "<a href=/usual target=_blank id=a></a>",
  "/dialog": script("alert(1)"),
  "/worker": worker("new Worker('/worker.js')"),
  "/shared-worker": worker("new SharedWorker('/worker.js')"),
  "/service-worker": worker("navigator.serviceWorker.register('/worker.js')"),
  "/web-socket": script("new WebSocket('ws'+location.origin.slice(4))"),
  "/preflight": script("fetch('other',{headers:{'x-y':'z'}}).catch(()=>0)") + "<img src=/later>",
  "/authorization":
    script("fetch('/usual',{headers:{authorization:'Basic eDp5'}})") + "<img src=/later>",
  "/challenge": "<img src=/401><img src=/later>",
  "/download":
    script(
      "const a=document.createElement('a');a.href='/attachment';a.download='x';document.documentElement.append(a);a.click()",
    ) + "<img src=/later>",
  "/client-hints": (response) => {
    response.writeHead(200, { "content-type": "text/html", "accept-ch": "device-memory" }).end("x");
  },
  "/agent-cluster": (response) => {
    response.writeHead(200, { "content-type": "text/html", "origin-agent-cluster": "?1" }).end("x");
  },
  "/speculation": `<script type=speculationrules>{"prefetch":[{"urls":["/cached"],"eagerness":"immediate"}]}</script><img src=/later>`,
  "/stuck": script("onpagehide=()=>{for(;;);}"),
};

/** Load waits for `/later`, so that what the page starts is seen while the job runs. */
function answer(path: string, response: ServerResponse): void {
  const page = tainted[path];
  if (typeof page === "string") html(response, page.replaceAll("other", other.origin));
  else if (page) page(response);
  else if (path === "/usual") html(response, usual);
  else if (path === "/later") setTimeout(() => response.end(), 800);
  else if (path === "/cached") response.writeHead(200, { "cache-control": "max-age=999" }).end("c");
  else if (path === "/401") response.writeHead(401, { "www-authenticate": "Basic" }).end();
  else if (path === "/worker.js") {
    response.writeHead(200, { "content-type": "text/javascript" }).end("0");
  } else if (path === "/attachment") {
    response.writeHead(200, { "content-disposition": "attachment" }).end("bytes");
  } else if (path === "/restless") {
    html(
      response,
      script(
        "setInterval(()=>fetch('/tick',{keepalive:true}),20);onpagehide=onunload=()=>navigator.sendBeacon('/tick')",
      ) + "<img src=/later>",
    );
  } else response.writeHead(204).end();
}

beforeAll(async () => {
  other = await startSite((_request, response) => html(response, "other"), "127.0.0.2");
  site = await startSite((request, response) => answer(request.url ?? "", response));
  rig = await startRig({
    egressAllow: [`127.0.0.1:${site.port}`, `127.0.0.2:${other.port}`],
  });
});
afterAll(async () => {
  await rig.close();
  await site.close();
  await other.close();
});

async function visit(path: string, tenant: string, on = rig): Promise<string> {
  const { html: text } = await on.run("browser.html", { url: `${site.origin}${path}` }, { tenant });
  await settled(on);
  return text;
}
const seen = (text: string) => /seen:([^<]*)</.exec(text)?.[1];

const reused = () => rig.pool.counts().reused;

/** Runs both until the second met the tab of the first: on a loaded machine a reset may take too long. */
async function inKept(first: () => Promise<unknown>, second: () => Promise<void>): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await first();
    const before = reused();
    await second();
    if (reused() > before) return;
  }
  throw new Error("no tab was used again");
}

describe("a tab is used again", () => {
  test("by the same tenant at the same origin, and nothing is left in it", async () => {
    const fetched = () => site.hits.filter((path) => path === "/cached").length;
    const [before, fetchedBefore] = [reused(), fetched()];
    let jobs = 0;
    for (; jobs < 10 && reused() < before + 3; jobs += 1) {
      // As in a new tab: about:blank and the page.
      expect(seen(await visit("/usual", "usual"))).toBe(",0,0,,2");
    }
    expect(fetched()).toBe(fetchedBefore + jobs);
    expect(reused()).toBe(before + 3);
  });

  test("after a screenshot of another size, but not after one without background", async () => {
    const url = `${site.origin}/usual`;
    const shoot = async (tenant: string, more: object) => {
      const input = { url, ...more };
      const { image_base64 } = await rig.run("browser.screenshot", input, { tenant });
      await settled(rig);
      return image_base64;
    };
    const expected = await shoot("sizes of another", {});
    await inKept(
      () => shoot("sizes", { viewport: { width: 400, height: 300 } }),
      async () => expect(await shoot("sizes", {})).toBe(expected),
    );
    expect(await shoot("sizes", { omit_background: true })).not.toBe(expected);
    const before = reused();
    expect(await shoot("sizes", {})).toBe(expected);
    expect(reused()).toBe(before);
  });

  test("by nobody else, and for no other origin", async () => {
    await visit("/usual", "account-1.live");
    const before = rig.pool.counts().reused;
    for (const tenant of ["account-1.test", "account-2.live"]) {
      expect(seen(await visit("/usual", tenant))).toBe(",0,0,,2");
    }
    await rig.run("browser.html", { url: other.origin }, { tenant: "account-1.live" });
    expect(rig.pool.counts().reused).toBe(before);
  });

  test("only from the second job on, where nothing says otherwise", async () => {
    const plain = await startRig({
      egressAllow: [`127.0.0.1:${site.port}`],
      keptFromJob: 2,
      keptIdleMs: 2000,
    });
    try {
      await visit("/usual", "t", plain);
      expect(plain.pool.counts().kept).toBe(0);
      await visit("/usual", "t", plain);
      expect(plain.pool.counts()).toMatchObject({ kept: 1, reused: 0 });
      await visit("/usual", "t", plain);
      expect(plain.pool.counts()).toMatchObject({ kept: 1, reused: 1 });
      // Nobody comes for it.
      for (let waited = 0; plain.pool.counts().kept > 0; waited += 100) {
        expect(waited).toBeLessThan(10_000);
        await pause(100);
      }
      await settled(plain);
    } finally {
      await plain.close();
    }
  });
});

describe("a tab is not used again after", () => {
  test.each(Object.keys(tainted))("%s", async (path) => {
    const before = rig.pool.counts().reused;
    const tenant = `after ${path}`;
    await visit(path, tenant);
    expect(seen(await visit("/usual", tenant))).toBe(",0,0,,2");
    expect(rig.pool.counts().reused).toBe(before);
    // The same tenant's tab is kept again once its use was plain.
    const plain = async () => void (await visit("/usual", tenant));
    await inKept(plain, plain);
  });

  test("a job that failed", async () => {
    const before = rig.pool.counts().reused;
    const input = { url: `${site.origin}/usual`, selector: "#missing" };
    const failure = rig.run("browser.screenshot", input, { tenant: "failed" });
    await expect(failure).rejects.toMatchObject({ type: "not_found" });
    await settled(rig);
    await visit("/usual", "failed");
    expect(rig.pool.counts().reused).toBe(before);
  });
});

test("a page whose answer was given asks for nothing more, not even in the next job", async () => {
  const ticks = () => site.hits.filter((path) => path === "/tick").length;
  let then = 0;
  await inKept(
    async () => {
      const before = ticks();
      await visit("/restless", "restless");
      then = ticks();
      expect(then).toBeGreaterThan(before);
      await pause(1000);
    },
    async () => {
      await visit("/usual", "restless");
      await pause(1000);
      expect(ticks()).toBe(then);
    },
  );
}, 60_000);
