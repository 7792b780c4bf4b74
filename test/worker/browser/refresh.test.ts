import { afterAll, beforeAll, expect, test } from "vitest";
import { full } from "../../faults/full.ts";
import { html, pause, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;

const meta = (delay: string) => `<meta http-equiv=Refresh content='${delay};url=/target'>`;
const slowly = "<p>itself</p><img src=/slow>";

beforeAll(async () => {
  site = await startSite((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", site.origin);
    if (pathname === "/slow") setTimeout(() => response.end(), 1500);
    else if (pathname === "/never") return;
    else if (pathname === "/target")
      html(response, "<p>target</p><script>onload=()=>fetch('/after')</script>");
    else {
      const refresh = searchParams.get("header");
      if (refresh !== null) response.setHeader("refresh", refresh);
      html(response, searchParams.get("page") ?? "");
    }
  });
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`] });
});
afterAll(async () => {
  await rig.close();
  await site.close();
});

const page = (body: string, header = "") => ({
  url: `${site.origin}/?page=${encodeURIComponent(body)}${header && `&header=${encodeURIComponent(header)}`}`,
});

test.each([
  [meta("0"), ""],
  [meta(" 0.4 "), ""],
  ["", "0;url=/target"],
])("a refresh that is not announced yet is waited for: %s %s", async (head, header) => {
  const input = { ...page(`${head}${slowly}`, header), wait_until: "domcontentloaded" };
  expect((await rig.run("browser.html", input)).html).toContain("<p>target</p>");
});

test.each([
  // Slightly later than the time of a page that is slow to read.
  ["a later one", meta(full ? "1" : "5"), slowly],
  ["one for those without scripts", `<noscript>${meta("0")}</noscript>`, slowly],
  ["one that is given up", meta("0"), `${slowly}<script>onload=()=>stop()</script>`],
])("%s is not followed", async (_, head, body) => {
  const input = { ...page(head + body), wait_until: "domcontentloaded" };
  expect((await rig.run("browser.html", input)).html).toContain("<p>itself</p>");
});

test("a document that is never loaded in full is the answer once the caller's time is over", async () => {
  const never = page(`${meta("0")}<p>itself</p><img src=/never>`);
  const input = { ...never, wait_until: "domcontentloaded", timeout_ms: 4000 };
  expect((await rig.run("browser.html", input)).html).toContain("<p>itself</p>");
});

test.each([
  "setTimeout(() => { location.href = '/target' }, 400)",
  "setTimeout(\"location.replace('/target')\", 300)",
  "const go = () => { location = '/target' }; setTimeout(() => go(), 150)",
])("a script that sends on within half a second is followed: %s", async (script) => {
  const { markdown } = await rig.run(
    "browser.markdown",
    page(`<p>itself</p><script>${script}</script>`),
  );
  expect(markdown).toBe("target");
});

test("a refresh that is over before the answer is ready is followed", async () => {
  const convert = rig.pool.markdown.convert.bind(rig.pool.markdown);
  let waited = 0;
  site.hits.length = 0;
  rig.pool.markdown.convert = async (...args) => {
    while (waited === 0 && !site.hits.includes("/after")) await pause(20);
    waited += 1;
    return convert(...args);
  };
  try {
    const { markdown } = await rig.run("browser.markdown", page(`${meta("0.3")}<p>itself</p>`));
    expect(markdown).toBe("target");
  } finally {
    rig.pool.markdown.convert = convert;
  }
});
