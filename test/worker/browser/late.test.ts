import type { RequestListener, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;
let other: Site;
const app = (script: string) => `<!doctype html><div id=app></div><script>${script}</script>`;
const sentence = "A sentence that a reader takes for the text of a finished page. ".repeat(5);
/** A red square as a picture. */
const red =
  '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="100" height="100" fill="red"/></svg>';
/** Long enough for Chromium to know its encoding, which nothing declares. */
const western = "L'été dernier, les élèves français ont déjà mangé des crêpes à côté de la forêt.";

const routes: Record<string, (response: ServerResponse) => void> = {
  "/timer": (r) =>
    html(r, app("setTimeout(() => { app.innerHTML = '<a href=/x>written</a>' }, 800)")),
  // It writes its text right after something has held its thread, which is the first reading of so many elements.
  "/meanwhile": (r) =>
    html(
      r,
      `${app(`addEventListener("load", () => requestAnimationFrame(() => setTimeout(() => {
        let last = performance.now();
        (function again() {
          const isHeld = performance.now() - last > 30;
          last = performance.now();
          if (isHeld) app.textContent = "written";
          else setTimeout(again);
        })();
      })))`)}${"<i></i>".repeat(100_000)}`,
    ),
  "/asks": (r) =>
    html(
      r,
      app("setTimeout(async () => { app.textContent = await (await fetch('/slow')).text() })"),
    ),
  "/slow": (r) => setTimeout(() => r.end("answered"), 3500),
  "/timer-later": (r) => html(r, app("setTimeout(() => { app.textContent = 'filled' }, 2600)")),
  "/loading": (r) =>
    html(
      r,
      app("app.textContent = 'Loading…'; setTimeout(() => { app.textContent = 'loaded' }, 900)"),
    ),
  "/loading-data": (r) =>
    html(
      r,
      app(
        "app.textContent = 'Please wait'; fetch('/soon').then(async (r) => { app.textContent = await r.text() })",
      ),
    ),
  "/skeleton": (r) =>
    html(
      r,
      `<!doctype html><nav>${sentence}</nav><main><div class=card-skeleton style="height:99px"></div></main>
      <script>fetch('/soon').then(async (r) => { document.querySelector('main').textContent = await r.text() })</script>`,
    ),
  "/soon": (r) => setTimeout(() => r.end("answered soon"), 900),
  "/finished": (r) =>
    html(
      r,
      `<!doctype html><main id=app>${sentence}</main><script>fetch('/never'); setTimeout(() => { app.textContent = 'replaced' }, 1500)</script>`,
    ),
  "/clock": (r) =>
    html(r, app("setInterval(() => 1, 20); (function again() { setTimeout(again, 20) })()")),
  "/ticker": (r) =>
    html(
      r,
      app("let n = 0; setTimeout(() => setInterval(() => { app.textContent = ++n }, 50), 500)"),
    ),
  "/empty": (r) => html(r, "<!doctype html><title>nothing</title>"),
  "/stays-empty": (r) => html(r, app("1")),
  "/asks-forever": (r) => html(r, app("fetch('/never')")),
  "/never": () => undefined,
  "/data.json": (r) =>
    r.writeHead(200, { "content-type": "application/json" }).end('{"a": [1,  2]}\n'),
  "/data.xml": (r) =>
    r
      .writeHead(200, { "content-type": "text/xml" })
      .end('<?xml version="1.0"?>\n<a><b c="d"/></a>'),
  "/feed": (r) =>
    r
      .writeHead(200, { "content-type": "application/rss+xml; charset=utf-8" })
      .end('<?xml version="1.0"?>\n<rss><a b="é">1 &lt; 2</a></rss>'),
  "/styled.xml": (r) =>
    r
      .writeHead(200, { "content-type": "application/xml" })
      .end('<?xml-stylesheet type="text/xsl" href="/style.xsl"?>\n<!-- <html> -->\n<a>1</a>'),
  "/style.xsl": (r) => r.writeHead(404).end(),
  "/rows.csv": (r) =>
    r
      .writeHead(200, { "content-type": "text/csv", "content-disposition": "attachment" })
      .end("a;é\n1;2\n"),
  "/western.csv": (r) =>
    r
      .writeHead(200, { "content-type": "text/csv; charset=iso-8859-1" })
      .end(Buffer.from("é;1\n", "latin1")),
  "/lines": (r) =>
    r.writeHead(200, { "content-type": "application/x-ndjson" }).end('{"a":1}\n{"b":2}\n'),
  "/undeclared": (r) =>
    r
      .writeHead(200, { "content-type": "text/html" })
      .end(
        "<!doctype html><title>à Köln €</title><meta name=author content=à><p>Voilà, 你好 – déjà</p><area href=/straße?q=ä alt=à>",
      ),
  "/western": (r) =>
    r
      .writeHead(200, { "content-type": "text/html" })
      .end(Buffer.from(`<!doctype html><p>${western}</p>`, "latin1")),
  "/breaks-off": (r) => {
    r.writeHead(200, { "content-type": "text/html" });
    r.write(`<!doctype html><p>${sentence}`, () => setTimeout(() => r.destroy(), 100));
  },
  "/archive.zip": (r) => r.writeHead(200, { "content-type": "application/zip" }).end("PK"),
  "/broken.xml": (r) => r.writeHead(200, { "content-type": "text/xml" }).end("<a><b></a>"),
  "/drawing": (r) => html(r, "<!doctype html><canvas width=300 height=200></canvas>"),
  "/unseen": (r) => html(r, '<!doctype html><p style="opacity:0;position:absolute">x</p>'),
  "/frameset": (r) =>
    html(r, "<!doctype html><frameset cols=50%,50%><frame src=/left><frame src=/right></frameset>"),
  "/with-foreign": (r) =>
    html(
      r,
      `<!doctype html><p>before</p><iframe src="${other.origin}/right" width=400 height=300></iframe>
      <iframe src="${other.origin}/left" width=300 height=250></iframe><iframe src="${other.origin}/left" hidden></iframe>
      <div style="height:3000px"></div><iframe src="${other.origin}/left" width=400 height=300></iframe>`,
    ),
  "/left": (r) => html(r, "<!doctype html><a href=inside>left</a>"),
  "/right": (r) =>
    html(
      r,
      "<!doctype html><p>right<iframe srcdoc='<h2>inner</h2><a href=/deep>deep</a>'></iframe>",
    ),
  "/page.xhtml": (r) =>
    r
      .writeHead(200, { "content-type": "application/xhtml+xml" })
      .end('<html xmlns="http://www.w3.org/1999/xhtml"><body><p>a page</p></body></html>'),
  "/red.svg": (r) =>
    setTimeout(() => r.writeHead(200, { "content-type": "image/svg+xml" }).end(red), 300),
  // However a picture or section waits, at the end a square of 100 pixels is red.
  "/lazy": (r) =>
    html(
      r,
      `<!doctype html><style>body{margin:0}.far{height:6000px}#on{width:100px;height:100px;background:#fff}#on.seen{background:red}</style>
      <div class=far></div><img loading=lazy src=/red.svg width=100 height=100 style="display:block"><div id=on></div>
      <script>new IntersectionObserver(([e]) => { if (e.isIntersecting) on.className = "seen" }).observe(on)</script>`,
    ),
  "/lazy-rows": (r) =>
    html(
      r,
      `<!doctype html><style>body{margin:0}section{height:900px}</style>${'<section><img loading=lazy src=/red.svg width=100 height=100 style="display:block"></section>'.repeat(4)}<img loading=lazy src=/never style="display:none">`,
    ),
  "/endless": (r) =>
    html(
      r,
      `<!doctype html><body style="margin:0"><div style="height:3000px">x</div>
      <script>addEventListener("scroll", () => document.body.insertAdjacentHTML("beforeend", '<div style="height:2000px">y</div>'))</script>`,
    ),
};

beforeAll(async () => {
  const answer: RequestListener = (request, response) => {
    const route = routes[request.url ?? ""];
    if (route) route(response);
    else html(response, "no such sample", 404);
  };
  site = await startSite(answer);
  other = await startSite(answer, "127.0.0.2");
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`, `127.0.0.2:${other.port}`] });
});
afterAll(async () => {
  await rig.close();
  await Promise.all([site.close(), other.close()]);
});

const at = (path: string) => ({ url: `${site.origin}${path}` });

describe.concurrent("a page that shows nothing yet", () => {
  test("is waited for, whatever is requested of it", async () => {
    const small = { viewport: { width: 200, height: 100 } };
    const [{ markdown }, { html: text }, { links }, shot, emptyShot] = await Promise.all([
      rig.run("browser.markdown", at("/timer")),
      rig.run("browser.html", at("/timer")),
      rig.run("browser.links", at("/timer")),
      rig.run("browser.screenshot", { ...at("/timer"), ...small }),
      rig.run("browser.screenshot", { ...at("/empty"), ...small }),
    ]);
    expect(markdown).toContain("written");
    expect(text).toContain("<a href=");
    expect(links).toEqual([`${site.origin}/x`]);
    expect(shot.image_base64).not.toBe(emptyShot.image_base64);
  });

  test("is read again when it has shown itself while it was read", async () => {
    expect((await rig.run("browser.markdown", at("/meanwhile"))).markdown).toBe("written");
  });

  test("is waited for while it still loads resources", async () => {
    expect((await rig.run("browser.markdown", at("/asks"))).markdown).toBe("answered");
  });

  test("is read in the end when it never settles", async () => {
    expect((await rig.run("browser.markdown", at("/ticker"))).markdown).toMatch(/^\d+$/);
  });

  test("is answered as empty at once without scripts, and soon with them", async () => {
    for (const path of ["/empty", "/stays-empty"]) {
      expect((await rig.run("browser.markdown", at(path))).markdown).toBe("");
    }
  });

  test("is an error where it draws something that has no text, and empty where it does not", async () => {
    const error = await rig.failure("browser.markdown", at("/drawing"));
    expect(error).toMatchObject({ type: "upstream_error" });
    expect((await rig.run("browser.markdown", at("/unseen"))).markdown).toBe("");
  });

  test("is waited for within the caller's own time at most", async () => {
    const started = Date.now();
    const { markdown } = await rig.run("browser.markdown", {
      ...at("/asks-forever"),
      timeout_ms: 3000,
    });
    expect(markdown).toBe("");
    expect(Date.now() - started).toBeLessThan(40_000);
  });
});

describe.concurrent("a page that shows only that it loads", () => {
  const text = async (path: string) => (await rig.run("browser.markdown", at(path))).markdown;

  test("is waited for while it waits for timers or requests", async () => {
    expect(
      await Promise.all(["/timer-later", "/loading", "/loading-data", "/skeleton"].map(text)),
    ).toEqual(["filled", "loaded", "answered soon", `${sentence.trim()}\n\nanswered soon`]);
    expect((await rig.run("browser.html", at("/loading"))).html).toContain("loaded</div>");
  });

  test("is not taken for one that shows its text, whatever that still waits for", async () => {
    expect(await text("/finished")).toBe(sentence.trim());
  });

  test("is answered in the end when its timers change nothing", async () => {
    const started = performance.now();
    expect(await text("/clock")).toBe("");
    expect(performance.now() - started).toBeLessThan(25_000);
  });
});

describe("data", () => {
  test("comes as its source", async () => {
    const source = async (path: string) => (await rig.run("browser.html", at(path))).html;
    expect(await source("/data.json")).toBe('{"a": [1,  2]}\n');
    expect(await source("/data.xml")).toBe('<?xml version="1.0"?>\n<a><b c="d"/></a>');
    expect(await source("/styled.xml")).toMatch(
      /^<\?xml-stylesheet .*\?>\n<!-- <html> -->\n<a>1<\/a>$/,
    );
    expect(await rig.run("browser.markdown", at("/broken.xml"))).toMatchObject({
      markdown: "```xml\n<a><b></a>\n```",
    });
    const feed = '<?xml version="1.0"?>\n<rss><a b="é">1 &lt; 2</a></rss>';
    expect(await source("/feed")).toBe(feed);
    expect(await rig.run("browser.markdown", at("/feed"))).toMatchObject({
      markdown: `\`\`\`xml\n${feed}\n\`\`\``,
    });
    expect(await source("/page.xhtml")).toContain("<p>a page</p>");
    const { markdown } = await rig.run("browser.markdown", at("/page.xhtml"));
    expect(markdown).toBe("a page");
  });

  test("without an encoding is read as UTF-8 where it is UTF-8", async () => {
    const [{ markdown }, { html: source }, windows] = await Promise.all([
      rig.run("browser.markdown", at("/undeclared")),
      rig.run("browser.html", at("/undeclared")),
      rig.run("browser.markdown", at("/western")),
    ]);
    expect(markdown).toBe("Voilà, 你好 – déjà");
    expect(source).toContain("<p>Voilà, 你好 – déjà</p>");
    expect(windows.markdown).toBe(western);
  });

  test("without an encoding states in UTF-8 what it states", async () => {
    const selectors = [
      { name: "text", selector: "p" },
      { name: "attribute", selector: "area", attribute: "alt" },
    ];
    const [{ metadata }, stated, { selected }, { links }] = await Promise.all([
      rig.run("web.snapshot", { ...at("/undeclared"), formats: ["metadata"] }),
      rig.run("web.metadata", at("/undeclared")),
      rig.run("web.extract", { ...at("/undeclared"), selectors }),
      rig.run("browser.links", at("/undeclared")),
    ]);
    expect(metadata).toMatchObject({ title: "à Köln €" });
    expect(stated).toMatchObject({ title: "à Köln €", author: "à" });
    expect(selected).toEqual({ text: "Voilà, 你好 – déjà", attribute: "à" });
    expect(links).toEqual([new URL("/straße?q=ä", site.origin).href]);
  });

  test("that Chromium would save is text", async () => {
    const text = async (path: string) => (await rig.run("browser.markdown", at(path))).markdown;
    expect(await text("/rows.csv")).toBe("```\na;é\n1;2\n```");
    expect(await text("/western.csv")).toBe("```\né;1\n```");
    expect(await text("/lines")).toBe('```\n{"a":1}\n{"b":2}\n```');
    expect((await rig.failure("browser.markdown", at("/archive.zip"))).message).toContain(
      "a download",
    );
  });
});

test("an answer that breaks off is an error at once", async () => {
  const began = performance.now();
  const failure = await rig.failure("browser.markdown", at("/breaks-off"));
  expect(failure).toMatchObject({ type: "upstream_unavailable" });
  expect(failure.message).toContain("broke off");
  // A page that never ends is waited for until its 30 s are over.
  expect(performance.now() - began).toBeLessThan(20_000);
});

test("frames of a set, and documents in attributes, are part of the page", async () => {
  const [{ markdown }, { links }] = await Promise.all([
    rig.run("browser.markdown", at("/frameset")),
    rig.run("browser.links", at("/frameset")),
  ]);
  const [inside, deep] = [`${site.origin}/inside`, `${site.origin}/deep`];
  expect(markdown).toBe(`[left](${inside})\n\nright\n\n## inner\n\n[deep](${deep})`);
  expect(links).toEqual([inside, deep]);
});

test("frames of other sites are part of the page, advertisements are not", async () => {
  const [{ markdown }, { links }, seen] = await Promise.all([
    rig.run("browser.markdown", at("/with-foreign")),
    rig.run("browser.links", at("/with-foreign")),
    rig.run("browser.links", { ...at("/with-foreign"), visible_links_only: true }),
  ]);
  const [inside, deep] = [`${other.origin}/inside`, `${other.origin}/deep`];
  expect(markdown).toBe(`before\n\nright\n\n## inner\n\n[deep](${deep})\n\n[left](${inside})`);
  expect(links).toEqual([inside, deep]);
  expect(seen.links).toEqual([deep]);
});

/** Draws a picture in a separate page and counts its red pixels. */
async function redPixels(image: string): Promise<number> {
  pages.set(
    "/count",
    `<!doctype html><p id=p></p><script>const i = new Image(); i.onload = () => {
      const c = document.createElement("canvas"); c.width = i.width; c.height = i.height;
      const g = c.getContext("2d"); g.drawImage(i, 0, 0); const d = g.getImageData(0, 0, c.width, c.height).data;
      let n = 0; for (let at = 0; at < d.length; at += 4) if (d[at] > 250 && d[at + 1] < 5) n += 1;
      p.textContent = n }; i.src = "data:image/png;base64,${image}"</script>`,
  );
  const { markdown } = await rig.run("browser.markdown", at("/count"));
  return Number(markdown);
}
const pages = new Map<string, string>();
routes["/count"] = (r) => html(r, pages.get("/count") ?? "");

describe("full_page", () => {
  const viewport = { width: 300, height: 400 };

  test("shows content that is drawn only in view, and waits for its pictures", async () => {
    const { image_base64 } = await rig.run("browser.screenshot", {
      ...at("/lazy"),
      viewport,
      full_page: true,
    });
    expect(await redPixels(image_base64)).toBe(20_000);
  });

  test("waits for pictures that load only in view", async () => {
    const { image_base64 } = await rig.run("browser.screenshot", {
      ...at("/lazy-rows"),
      viewport: { width: 800, height: 600 },
      full_page: true,
    });
    expect(await redPixels(image_base64)).toBe(40_000);
  });

  test("ends on a page that grows as it is scrolled", async () => {
    const outcome = await rig
      .run("browser.screenshot", { ...at("/endless"), viewport, full_page: true })
      .then(({ size_bytes }) => size_bytes > 0)
      .catch((error: unknown) => (error as { type?: string }).type);
    expect([true, "upstream_error"]).toContain(outcome);
  });
});
