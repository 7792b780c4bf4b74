import { afterAll, beforeAll, expect, test } from "vitest";
import type { DomTools } from "../../../worker/browser/dom.ts";
import { evaluate } from "../../../worker/browser/page/isolated-world.ts";
import { Navigation } from "../../../worker/browser/page/navigation.ts";
import { html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

let rig: Rig;
let site: Site;
const hosts = ["127.0.0.1", "localhost"];

/** A script that makes a page's own world look like ours, with functions that answer in their place. */
const forging = `<script>
globalThis.mark = 1;
globalThis[Symbol.for("gateway")] = new Proxy({}, { get: () => () => "forged" });
</script>`;
const plain = `<!doctype html><p>page</p>${forging}`;
/** Worlds of its frames have the numbers that ours had in another process. */
const framed = `${plain}${`<iframe srcdoc='${forging}'></iframe>`.repeat(6)}`;

beforeAll(async () => {
  site = await startSite((request, response) =>
    html(response, Number(request.url?.slice(1)) % 2 === 0 ? plain : framed),
  );
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`] });
});
afterAll(async () => {
  await rig.close();
  await site.close();
});

test("a document is read in our world, whichever process its host's pages are in", async () => {
  const urls = Array.from({ length: 6 }, (_, n) => `http://${hosts[n % 2]}:${site.port}/${n}`);
  const visit = { url: urls[0] as string, account: "a", signal: AbortSignal.timeout(20_000) };
  await rig.pool.use(visit, async (tab) => {
    tab.proxy.open(() => undefined);
    for (const url of urls) {
      const navigation = new Navigation(tab);
      await (url === visit.url ? tab.start() : tab.cdp.send("Page.navigate", { url }));
      await navigation.settled("load");
      navigation.stop();
      const seen = (_: DomTools, name: string) => [location.href, name in globalThis];
      for (let look = 0; look < 3; look += 1) {
        expect(await evaluate(tab, seen, "mark", 5000)).toEqual([url, false]);
      }
    }
  });
});
