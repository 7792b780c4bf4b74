import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { full } from "../../faults/full.ts";
import { html, pause, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";
import { at as inPdf, officePackage, pdf, relations } from "../documents/files.ts";

let rig: Rig;
let site: Site;
/** Accepts connections and never answers. */
let silent: Site;
/** Nothing listens there any more. */
let closed: Site;

const lorem = "A sentence of the page's own that a reader would want to read. ".repeat(12);
const sheets = officePackage("xl/workbook.xml", {
  "xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="One" r:id="r1"/></sheets></workbook>`,
  "xl/_rels/workbook.xml.rels": relations(["r1", "worksheet", "one.xml"]),
  "xl/one.xml": `<worksheet><sheetData><row><c><v>5</v></c></row></sheetData></worksheet>`,
});
const routes: Record<string, (response: ServerResponse) => void> = {
  "/plain": (r) => html(r, "<!doctype html><title>P</title><p id=a>Hello</p>"),
  "/spa": (r) =>
    html(
      r,
      "<div id=app></div><script>setTimeout(()=>{app.innerHTML='<p>late</p>'},300)</script><script src=/slow.js></script>",
    ),
  "/slow.js": (r) => setTimeout(() => r.end("document.title='slow'"), 700),
  "/hang": (r) => html(r, "<p>x</p><img src=/never>"),
  "/never": () => undefined,
  "/to-plain": (r) => r.writeHead(302, { location: "/plain#part" }).end(),
  "/loop": (r) => r.writeHead(302, { location: "/loop" }).end(),
  "/script-to-plain": (r) => html(r, "<p>first</p><script>location.href='/plain'</script>"),
  "/meta-to-plain": (r) => html(r, "<meta http-equiv=refresh content='0;url=/plain'><p>first</p>"),
  "/header-to-plain": (r) =>
    r.writeHead(200, { "content-type": "text/html", refresh: "0;url=/plain" }).end("first"),
  "/204": (r) => r.writeHead(204).end(),
  "/404": (r) => html(r, "<h1>Not here</h1>", 404),
  "/410": (r) => html(r, "<h1>Gone</h1>", 410),
  "/404-app": (r) =>
    html(r, `<div id=app></div><script>app.textContent=${JSON.stringify(lorem)}</script>`, 404),
  "/404-app-says-so": (r) =>
    html(
      r,
      `<title>Page not found</title><div id=app></div><script>app.textContent=${JSON.stringify(lorem)}</script>`,
      404,
    ),
  "/404-long": (r) => html(r, `<h1>Oops</h1><p>${lorem}</p>`, 404),
  "/404-then-plain": (r) => html(r, "<script>location.replace('/plain')</script>", 404),
  "/500": (r) => html(r, "broken", 500),
  "/403": (r) => html(r, "no", 403),
  "/attachment": (r) =>
    r
      .writeHead(200, {
        "content-type": "application/octet-stream",
        "content-disposition": "attachment; filename=a.bin",
      })
      .end("bytes"),
  "/report.pdf": (r) =>
    r
      .writeHead(200, { "content-type": "application/pdf" })
      .end(
        pdf([
          inPdf(72, 700, 24, "Harvest") +
            inPdf(72, 660, 10, "The leaves of spring were picked by hand."),
        ]),
      ),
  "/sheets": (r) =>
    r
      .writeHead(200, {
        "content-type": "application/octet-stream",
        "content-disposition": "attachment; filename=a.xlsx",
      })
      .end(sheets),
  "/to-report": (r) => r.writeHead(302, { location: "/report.pdf" }).end(),
  "/pdf": (r) => r.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-1.4"),
  "/text": (r) => r.writeHead(200, { "content-type": "text/plain" }).end("just text"),
  "/clobbered": (r) =>
    html(
      r,
      `<!doctype html><img name=documentElement><img name=body><img name=doctype>
      <form><input name=firstChild><input name=childNodes><input name=attributes><a href=/in-form>f</a></form>
      <script>Element.prototype.getAttribute=()=>'http://evil.test/';Document.prototype.querySelector=()=>null;
      Object.defineProperty(Element.prototype,'outerHTML',{get:()=>'fake'});window.URL=null;JSON.stringify=()=>'fake'</script><p id=real>real</p>`,
    ),
  "/large": (r) => {
    r.writeHead(200, { "content-type": "text/html" });
    // Chromium takes half a minute to draw one word of this length.
    r.end(`<p>a</p><p hidden>${"x".repeat(34 * 1024 * 1024)}</p>`);
  },
  "/heavy": (r) => {
    r.writeHead(200, { "content-type": "text/html" });
    const piece = Buffer.alloc(1_000_000, 32);
    let sent = 0;
    const more = () => {
      while (sent < 80) {
        sent += 1;
        if (!r.write(piece)) return;
      }
      r.end();
    };
    r.on("drain", more);
    more();
  },
  "/many-requests": (r) =>
    html(
      r,
      "<script>(async()=>{for(let i=0;i<2500;i++){new Image().src='/plain?'+i;if(i%50===0)await new Promise(d=>setTimeout(d,5))}})()</script><img src=/never>",
    ),
};

beforeAll(async () => {
  site = await startSite((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    const route = routes[path];
    if (route) route(response);
    else html(response, "no such sample", 404);
  });
  silent = await startSite(() => undefined);
  closed = await startSite(() => undefined);
  await closed.close();
  rig = await startRig({
    egressAllow: [site, silent, closed].map(({ port }) => `127.0.0.1:${port}`),
  });
});
afterAll(async () => {
  await rig.close();
  await site.close();
  await silent.close();
});

const at = (path: string) => ({ url: `${site.origin}${path}` });

describe("the document", () => {
  test("is returned with doctype, after scripts, under its final URL", async () => {
    const data = await rig.run("browser.html", at("/to-plain"));
    expect(data.url).toBe(`${site.origin}/plain#part`);
    expect(data.html).toMatch(/^<!DOCTYPE html><html><head><title>P<\/title>.*Hello/s);
  });

  test.each(["/script-to-plain", "/meta-to-plain", "/header-to-plain", "/404-then-plain"])(
    "%s: the last document decides",
    async (path) => {
      const data = await rig.run("browser.html", at(path));
      expect(data.url).toBe(`${site.origin}/plain`);
      expect(data.html).toContain("Hello");
    },
  );

  test("stages: domcontentloaded, load and idle see more and more of the page", async () => {
    const html = async (wait_until: string) =>
      (await rig.run("browser.html", { ...at("/spa"), wait_until })).html;
    const stages = ["load", "networkidle2", "networkidle0"];
    for (const text of await Promise.all(stages.map(html))) expect(text).toContain("late");
  });

  test("is read in an isolated world, whatever the page redefines", async () => {
    const data = await rig.run("browser.html", at("/clobbered"));
    expect(data.html).toContain('<p id="real">real</p>');
    const links = await rig.run("browser.links", at("/clobbered"));
    expect(links.links).toEqual([`${site.origin}/in-form`]);
    const markdown = await rig.run("browser.markdown", at("/clobbered"));
    expect(markdown.markdown).toContain("real");
  });

  test("may be plain text", async () => {
    const data = await rig.run("browser.markdown", at("/text"));
    expect(data.markdown).toContain("just text");
  });

  test("may be a PDF, also behind a redirect", async () => {
    for (const path of ["/report.pdf", "/to-report"]) {
      const data = await rig.run("browser.markdown", { ...at(path), include_metadata: true });
      expect(data.url).toBe(`${site.origin}/report.pdf`);
      expect(data.markdown).toBe("# Harvest\n\nThe leaves of spring were picked by hand.");
      expect(data.metadata).toEqual({ status: 200, content_type: "application/pdf" });
    }
  });

  test("may be an office document to download, and no other file", async () => {
    const data = await rig.run("browser.markdown", at("/sheets"));
    expect(data.markdown).toBe("## One\n\n| 5 |\n| --- |");
    const error = await rig.failure("browser.markdown", at("/attachment"));
    expect(error.message).toMatch(/answered with .*a download instead of a page/);
    const broken = await rig.failure("browser.markdown", at("/pdf"));
    expect(broken.message).toBe("The document is broken");
  });

  test("a single-page application served with 404 is returned as it is", async () => {
    const data = await rig.run("browser.markdown", at("/404-app"));
    expect(data.markdown).toContain("a reader would want");
  });
});

describe("failures", { concurrent: !full }, () => {
  test.each([
    ["/404", "not_found", 404],
    ["/410", "not_found", 404],
    ["/404-long", "not_found", 404],
    ["/404-app-says-so", "not_found", 404],
    ["/500", "upstream_error", 502],
    ["/403", "upstream_error", 502],
    ["/204", "upstream_error", 502],
    ["/attachment", "upstream_error", 502],
    ["/pdf", "upstream_error", 502],
    ["/loop", "upstream_error", 502],
    ["/large", "upstream_error", 502],
    ["/heavy", "upstream_error", 502],
    ["/many-requests", "upstream_error", 502],
  ])("%s is %s", async (path, type, status) => {
    const error = await rig.failure("browser.html", at(path));
    expect([error.type, error.status], error.message).toEqual([type, status]);
  });

  test("a host name that does not exist is an upstream_error", async () => {
    const error = await rig.failure("browser.html", { url: "http://nothing.invalid/" });
    expect([error.type, error.status]).toEqual(["upstream_error", 502]);
    expect(error.message).toContain("host name");
  });

  test("broken TLS is an upstream_error", async () => {
    const error = await rig.failure("browser.html", { url: `https://127.0.0.1:${site.port}/` });
    expect([error.type, error.status]).toEqual(["upstream_error", 502]);
    expect(error.message).toContain("TLS");
  });

  test("a peer that refuses is unavailable", async () => {
    const error = await rig.failure("browser.html", { url: closed.origin });
    expect([error.type, error.status]).toEqual(["upstream_unavailable", 503]);
  });

  test("a page that misses its stage is 504 and names the stage reached", async () => {
    const error = await rig.failure("browser.html", { ...at("/hang"), timeout_ms: 4000 });
    expect([error.type, error.status]).toEqual(["upstream_unavailable", 504]);
    expect(error.message).toContain('"load" within 4000 ms');
    expect(error.message).toMatch(/stage reached: (domcontentloaded|networkidle2)$/);
    const page = await rig.run("browser.html", { ...at("/hang"), wait_until: "domcontentloaded" });
    expect(page.html).toContain("<p>x</p>");
  });

  test("a silent site is 504 without a response", async () => {
    const error = await rig.failure("browser.html", { url: silent.origin, timeout_ms: 1500 });
    expect([error.type, error.status]).toEqual(["upstream_unavailable", 504]);
    expect(error.message).toContain("no response");
  });

  test("a call that is given up ends at once and frees its slot", async () => {
    const leaves = new AbortController();
    const started = Date.now();
    const call = rig
      .run("browser.html", { url: silent.origin }, { signal: leaves.signal })
      .catch((error: { type: string }) => error.type);
    await pause(500);
    leaves.abort();
    expect(await call).toBe("upstream_unavailable");
    expect(Date.now() - started).toBeLessThan(full ? 3000 : 20_000);
    await rig.run("browser.html", at("/plain"));
  });
});
