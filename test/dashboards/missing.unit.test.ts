import { expect, test } from "vitest";
import {
  missingPage,
  nearAddresses,
  nearPoolPages,
  nearUpstreams,
} from "../../dashboards/missing.ts";

test("near addresses of pages that do not exist", () => {
  expect(nearAddresses("/worker")[0]).toBe("/workers");
  expect(nearAddresses("/Upstream/dataforse")).toEqual(["/upstreams/dataforseo"]);
  expect(nearAddresses("/account/Busy%20One")).toEqual(["/accounts/Busy%20One", "/accounts"]);
  expect(nearAddresses("/pool/seo")).toEqual(["/pools/seo"]);
  expect(nearAddresses("/pools/soe")).toContain("/pools/seo");
  expect(nearAddresses("/alerts")).toContain("/runbooks");
  expect(nearAddresses("/jobs")).toContain("/work");
  expect(nearAddresses("/runbook/GatewayNoApi")).toEqual(["/runbooks"]);
  expect(nearAddresses("/nothing-of-the-kind")).toEqual([]);
  expect(nearAddresses("/")).toEqual([]);
});

test("an operation leads to its own pool, a misspelt name to similar ones", () => {
  expect(nearPoolPages("serp", "seo.backlinks.list")).toEqual(["/pools/seo/seo.backlinks.list"]);
  expect(nearPoolPages("seo", "seo.backlinks.lst")).toContain("/pools/seo/seo.backlinks.list");
  expect(nearPoolPages("soe", undefined)).toContain("/pools/seo");
  expect(nearUpstreams("redit")).toEqual(["/upstreams/reddit"]);
});

test("an address in the page is text and never a script", () => {
  const html = missingPage("Not found", "There is no such page.", ['/accounts/"><script>']);
  expect(html).not.toContain('"><script>');
  expect(html).toContain("Near addresses: <a ");
});
