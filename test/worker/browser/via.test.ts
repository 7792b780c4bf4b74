import { expect, test } from "vitest";
import { type Envelope, type ErrorEnvelope, Gateway } from "../../gateway.ts";
import { freePort } from "../../redis.ts";
import { startOrigin } from "../../origin.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { until } from "../../gateway.ts";

test("pages are reached through the egress service, which refuses what it does not allow", async () => {
  const allowed = await startOrigin();
  const refused = await startOrigin();
  const port = await freePort();
  const service = spawn(process.execPath, ["worker/egress/main.ts"], {
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    env: {
      PATH: process.env["PATH"],
      PORT: String(port),
      HOST: "127.0.0.1",
      EGRESS_ALLOW: allowed.address,
    },
    stdio: "ignore",
  });
  await until(() =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      (response) => response.ok,
      () => false,
    ),
  );
  const gateway = await Gateway.start({
    pools: "browser",
    env: { EGRESS_VIA: `127.0.0.1:${port}` },
  });
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
    service.kill("SIGKILL");
    await once(service, "exit");
    const without = await render(`${allowed.url}/without`);
    expect(without.status).toBeGreaterThanOrEqual(500);
    expect(allowed.visits("/without")).toBe(0);
  } finally {
    service.kill("SIGKILL");
    await gateway.stop();
    await allowed.stop();
    await refused.stop();
  }
});
