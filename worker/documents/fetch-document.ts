import { GatewayError } from "../../contract/errors.ts";
import type { FetchSite, SiteAnswer } from "../transport/site.ts";

/** Bounds of the request for a document. */
export const documentRequest = {
  mostBytes: 52_428_800,
  mostMs: 35_000,
  accept: "application/pdf, application/epub+zip, */*;q=0.5",
};

/** Fetches a document through the SSRF filter; throws GatewayError. */
export async function fetchDocument(
  fetchSite: FetchSite,
  url: string,
  signal: AbortSignal,
): Promise<SiteAnswer> {
  const answer = await fetchSite({ url, signal, ...documentRequest });
  const { status } = answer;
  if (status === 404 || status === 410) {
    throw new GatewayError("not_found", `The site answered ${status}: there is no document`);
  }
  if (status < 200 || status >= 300) {
    throw new GatewayError("upstream_error", `The site answered with status ${status}`);
  }
  return answer;
}
