import { expect, test } from "vitest";
import { startEgressService } from "../egress/service-process.ts";
import { html, startRig, startSite } from "./rig.ts";

test("a browser behind an egress service reaches pages by it alone, and nothing that it refuses", async () => {
  const allowed = await startSite((request, response) => html(response, `page ${request.url}`));
  const refused = await startSite((_, response) => html(response, "inside"));
  const service = await startEgressService(`127.0.0.1:${allowed.port}`);
  // The worker's own allow list does not count then.
  const rig = await startRig({
    egressAllow: [`127.0.0.1:${refused.port}`],
    egressVia: service.address,
  });
  try {
    const good = await rig.run("browser.html", { url: `${allowed.origin}/through` });
    expect(good.html).toContain("page /through");
    const bad = await rig.failure("browser.html", { url: `${refused.origin}/inside` });
    expect(bad.type).toBe("validation_error");
    expect(refused.hits).toEqual([]);
    await service.kill();
    allowed.hits.length = 0;
    const without = await rig.failure("browser.html", { url: `${allowed.origin}/without` });
    expect(without.type).toBe("upstream_unavailable");
    expect(allowed.hits).toEqual([]);
  } finally {
    await service.kill();
    await rig.close();
    await allowed.close();
    await refused.close();
  }
});
