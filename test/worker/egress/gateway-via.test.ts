import { expect, test } from "vitest";
import { type Envelope, type ErrorEnvelope, Gateway } from "../../gateway.ts";
import { startOrigin } from "../../origin.ts";
import { startEgressService } from "./service-process.ts";

test("a gateway with an egress service reaches pages by it alone, and reports its refusals", async () => {
  const allowed = await startOrigin();
  const refused = await startOrigin();
  const service = await startEgressService(allowed.address);
  const gateway = await Gateway.start({ pools: "browser", env: { EGRESS_VIA: service.address } });
  try {
    const { key } = await gateway.key();
    const render = (url: string) =>
      gateway.call<Envelope<{ html: string }> & ErrorEnvelope>(key, "POST", "/browser/html", {
        body: { url },
      });
    const good = await render(`${allowed.url}/through`);
    expect(good.status, good.text).toBe(200);
    expect(good.body.data.html).toContain("page /through");
    const bad = await render(`${refused.url}/inside`);
    expect(bad.status, bad.text).toBe(400);
    expect(bad.body.error.issues).toMatchObject([{ in: "body", path: "url" }]);
    expect(refused.visits("/inside")).toBe(0);
    // Files of a site take the same way as its pages, and are fetched without a browser.
    const robots = (url: string) =>
      gateway.call<Envelope<{ is_allowed: boolean; status: number }> & ErrorEnvelope>(
        key,
        "POST",
        "/web/robots",
        { body: { url } },
      );
    const asked = await robots(`${allowed.url}/page`);
    expect(asked.status, asked.text).toBe(200);
    expect(asked.body.data.status).toBe(200);
    const inside = await robots(`${refused.url}/page`);
    expect(inside.status, inside.text).toBe(400);
    expect(refused.visits("/robots.txt")).toBe(0);
    const stated = await gateway.call<Envelope<{ title: string }>>(key, "POST", "/web/metadata", {
      body: { url: `${allowed.url}/stated` },
    });
    expect(stated.status, stated.text).toBe(200);
    await service.kill();
    expect((await robots(`${allowed.url}/page`)).status).toBe(503);
    const without = await render(`${allowed.url}/without`);
    expect(without.status).toBeGreaterThanOrEqual(500);
    expect(allowed.visits("/without")).toBe(0);
  } finally {
    await service.kill();
    await gateway.stop();
    await allowed.stop();
    await refused.stop();
  }
});
