import { afterAll, beforeAll, expect, test } from "vitest";
import { full } from "../../faults/full.ts";
import { makeCertificate } from "./certificate.ts";
import { startNameServer } from "./name-server.ts";
import type { NameServer } from "./name-server.ts";
import { html, pause, settled, startRig } from "./rig.ts";
import type { Rig } from "./rig.ts";
import { startBareChromium } from "./shared-context.ts";
import { startTwoFacedSite } from "./two-faced-site.ts";
import type { TwoFacedSite } from "./two-faced-site.ts";

let rig: Rig;
/** Over TLS, because Chromium sends reports to no other site. */
let site: TwoFacedSite;
let names: NameServer;
const certificate = makeCertificate();
/** Reports would otherwise wait a minute. */
const args = ["--short-reporting-delay", certificate.trust];
const at = (path: string) => `https://site.test:${site.port}${path}`;
const { promise: firstTick, resolve: ticked } = Promise.withResolvers<void>();
const hits = () => site.requests.map(({ path }) => path);

const restless = `<!doctype html><link rel=icon href="data:,"><p>restless</p><script>
setInterval(() => fetch("/tick").catch(() => {}), 10);
fetch("/slow-redirect", { keepalive: true }).catch(() => {});
globalThis.fetchLater?.("/fetch-later");
for (const name of ["pagehide", "unload", "visibilitychange", "beforeunload", "freeze"])
  for (const on of [window, document]) on.addEventListener(name, () => {
    navigator.sendBeacon("/beacon-" + name);
    fetch("/keepalive-" + name, { keepalive: true }).catch(() => {});
    new Image().src = "/image-" + name;
  });
</script><img src="/reported">`;

beforeAll(async () => {
  site = await startTwoFacedSite(certificate, (request, response) => {
    const path = request.url ?? "";
    if (path === "/restless") {
      const reports = at("/report");
      response.setHeader("reporting-endpoints", `default="${reports}"`);
      response.setHeader(
        "report-to",
        JSON.stringify({ group: "default", max_age: 999, endpoints: [{ url: reports }] }),
      );
      response.setHeader("nel", '{"report_to":"default","max_age":999,"success_fraction":1}');
      response.setHeader(
        "content-security-policy-report-only",
        "img-src 'none'; report-to default",
      );
      html(response, restless);
    } else if (path === "/tick") {
      response.end();
      ticked();
    } else if (path === "/reported") {
      // The load event waits for it, so that the page is busy when its answer is given.
      void firstTick.then(() => response.end());
    } else if (path === "/slow-redirect") {
      setTimeout(() => response.writeHead(302, { location: "/after-redirect" }).end(), 1500);
    } else if (path === "/slow-picture") setTimeout(() => response.end(), 2500);
    else if (path === "/next")
      html(response, "<link rel=icon href='data:,'><img src=/slow-picture>next");
    else response.end();
  });
  names = await startNameServer({ "site.test": () => ["127.0.0.1"] });
  rig = await startRig({
    egressAllow: [`127.0.0.1:${site.port}`],
    resolver: names.address,
    args,
  });
});
afterAll(async () => {
  await rig.close();
  await Promise.all([site.close(), names.close()]);
});

/** Requests that an earlier page sent after it should have ended. */
const late = () => hits().filter((path) => !["/next", "/slow-picture"].includes(path));

test("case 32: a page sends nothing once its answer was given, nor in the account's next job", async () => {
  const { html: text } = await rig.run("browser.html", { url: at("/restless") });
  expect(text).toContain("restless");
  expect(hits()).toContain("/tick");
  // Requests on their way when the answer was given have arrived.
  await pause(full ? 100 : 1000);
  const goodbyes = hits().filter((path) => /beacon|keepalive|image|later/.test(path));
  expect(goodbyes).toEqual([]);
  site.requests.length = 0;
  await settled(rig);
  const next = await rig.run("browser.html", { url: at("/next") });
  expect(next.html).toContain("next");
  expect(late()).toEqual([]);
});

test("a page that is merely navigated away from sends all of it", async () => {
  const bare = await startBareChromium([...args, "--host-resolver-rules=MAP site.test 127.0.0.1"]);
  const page = await (await bare.share()).open();
  site.requests.length = 0;
  await page.goto(at("/restless"));
  await page.goto(at("/next"));
  // A headless shell sends no reports.
  const last = bare.isShell ? "/after-redirect" : "/report";
  await expect.poll(late, { timeout: 60_000 }).toContain(last);
  await bare.close();
  expect(late()).toEqual(
    expect.arrayContaining([
      last,
      "/after-redirect",
      "/fetch-later",
      "/beacon-pagehide",
      "/keepalive-pagehide",
      "/beacon-visibilitychange",
    ]),
  );
});
