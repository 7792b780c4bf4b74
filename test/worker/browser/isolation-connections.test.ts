import { afterAll, beforeAll, expect, test } from "vitest";
import { makeCertificate } from "./certificate.ts";
import { startNameServer } from "./name-server.ts";
import type { NameServer } from "./name-server.ts";
import { html, settled, startRig } from "./rig.ts";
import type { Rig } from "./rig.ts";
import { startBareChromium } from "./shared-context.ts";
import type { BareChromium } from "./shared-context.ts";
import { startTwoFacedSite } from "./two-faced-site.ts";
import type { TwoFacedSite } from "./two-faced-site.ts";

let site: TwoFacedSite;
let names: NameServer;
let rig: Rig;
let bare: BareChromium;

beforeAll(async () => {
  const certificate = makeCertificate();
  site = await startTwoFacedSite(certificate, (_, response) => {
    response.setHeader("strict-transport-security", "max-age=9999");
    html(response, "<link rel=icon href='data:,'>a site");
  });
  names = await startNameServer({ "site.test": () => ["127.0.0.1"] });
  const args = [certificate.trust];
  [rig, bare] = await Promise.all([
    startRig({ egressAllow: [`127.0.0.1:${site.port}`], resolver: names.address, args }),
    startBareChromium([...args, "--host-resolver-rules=MAP site.test 127.0.0.1"]),
  ]);
});
afterAll(async () => {
  await Promise.all([rig.close(), bare.close()]);
  await Promise.all([site.close(), names.close()]);
});

const at = (scheme: string, path: string) => `${scheme}://site.test:${site.port}${path}`;
const requestsTo = (path: string) => site.requests.filter((entry) => entry.path === path);

test("case 32: another account's job gets neither the HSTS of the first nor its connections and TLS sessions", async () => {
  const job = (tenant: string, url: string) => rig.run("browser.html", { url }, { tenant });
  await job("a", at("https", "/first"));
  await settled(rig);
  await job("b", at("http", "/plain"));
  await job("b", at("https", "/secure"));
  await Promise.all(["c", "d"].map((tenant) => job(tenant, at("https", `/${tenant}`))));
  await settled(rig);
  expect(requestsTo("/first")).toMatchObject([{ secure: true, resumed: false }]);
  expect(requestsTo("/plain")).toMatchObject([{ secure: false }]);
  const others = ["/secure", "/c", "/d"].flatMap(requestsTo);
  expect(others).toMatchObject(Array(3).fill({ secure: true, resumed: false }));
  const used = [...requestsTo("/first"), ...others].map(({ connection }) => connection);
  expect(new Set(used).size).toBe(4);
});

test("in one context for both all three are shared", async () => {
  const shared = await bare.share();
  const page = await shared.open();
  await page.goto(at("https", "/bare-first"));
  await page.goto(at("http", "/bare-plain"));
  const [first] = requestsTo("/bare-first");
  expect(requestsTo("/bare-plain")).toMatchObject([
    { secure: true, connection: first?.connection },
  ]);
  await site.dropConnections();
  await page.goto(at("https", "/bare-resumed"));
  expect(requestsTo("/bare-resumed")).toMatchObject([{ resumed: true }]);
  await shared.close();
});
