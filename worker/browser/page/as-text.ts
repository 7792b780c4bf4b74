import type { Protocol } from "puppeteer";
import type { Tab } from "../chromium/tab.ts";

/** Text that Chromium would save to a file instead of showing it. */
const types =
  /^(?:text\/(?:csv|tab-separated-values|calendar|vcard|markdown|x-[\w.-]+)|application\/(?:x-)?(?:ndjson|jsonlines|jsonl|yaml|toml|csv))$/i;
const files = /\.(?:csv|tsv|ics|vcf|md|ndjson|jsonl|ya?ml|toml)$/i;

/** Whether a download is text: by its type, or by its name where the type says nothing. */
export function isText({ mimeType, url }: { mimeType: string; url: string }): boolean {
  if (types.test(mimeType)) return true;
  const isUnnamed = mimeType === "" || mimeType === "application/octet-stream";
  return isUnnamed && files.test(URL.parse(url)?.pathname ?? "");
}

/**
 * Makes Chromium show the page's documents as plain text, whatever their type; called before the tab's start. Chromium
 * looks for a download before it looks at changed headers, so an answer is given anew, with the body that came.
 */
export function showAsText(tab: Tab): void {
  const { cdp } = tab;
  // Pictures that are left out elsewhere do not occur in a text.
  cdp.removeAllListeners("Fetch.requestPaused");
  cdp.on("Fetch.requestPaused", (paused: Protocol.Fetch.RequestPausedEvent) => {
    answer(tab, paused).catch(() => undefined);
  });
  const patterns = [{ resourceType: "Document", requestStage: "Response" } as const];
  tab.startAfter(cdp.send("Fetch.enable", { patterns }));
}

async function answer(
  { cdp }: Tab,
  { requestId, responseStatusCode, responseHeaders = [] }: Protocol.Fetch.RequestPausedEvent,
): Promise<void> {
  // Others are redirects and errors, which have no text.
  if (responseStatusCode !== 200) return cdp.send("Fetch.continueResponse", { requestId });
  const type = responseHeaders.find(({ name }) => name.toLowerCase() === "content-type")?.value;
  const encoding = /charset\s*=\s*"?([\w.:-]+)/i.exec(type ?? "")?.[1] ?? "utf-8";
  const { body, base64Encoded } = await cdp.send("Fetch.getResponseBody", { requestId });
  await cdp.send("Fetch.fulfillRequest", {
    requestId,
    responseCode: 200,
    responseHeaders: [{ name: "content-type", value: `text/plain; charset=${encoding}` }],
    body: base64Encoded ? body : Buffer.from(body).toString("base64"),
  });
}
