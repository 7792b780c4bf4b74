import type { Protocol } from "puppeteer";

/** The document of a page's main frame. */
export interface MainDocument {
  loaderId: string;
  url: string;
  /** Undefined when the document did not come over HTTP. */
  status: number | undefined;
  mimeType: string;
  /** Whether the answer names the encoding. */
  declaresEncoding: boolean;
  requestId: string | undefined;
  /** The `Refresh` header. */
  refresh: string | undefined;
  /** The header X-Robots-Tag. */
  robotsTag: string | undefined;
  /** The header Retry-After. */
  retryAfter?: string | undefined;
}

/** The type of an answer. Chromium takes feeds for plain text, whatever type the site gives them. */
export function mimeTypeOf({ mimeType, headers }: Protocol.Network.Response): string {
  const given = headerOf(headers, "content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  return mimeType === "text/plain" && given.endsWith("+xml") ? given : mimeType;
}

export function headerOf(headers: Protocol.Network.Headers, header: string): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === header)?.[1];
}

export function isWeb(url: string): boolean {
  return url.startsWith("http:") || url.startsWith("https:");
}
