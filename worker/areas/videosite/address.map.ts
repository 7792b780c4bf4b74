import { handleOf, isChannelId } from "./node.map.ts";

/** Meaning of a caller's text: a channel id, or an address that the site must resolve. */
export type Address = { channelId: string } | { url: string; username: string | undefined };

const site = "https://www.youtube.com";
const hosts = /^(www\.|m\.|music\.)?youtube\.com$/;

/** Undefined for a text that is neither an address on the site nor a handle. */
export function addressOf(given: string): Address | undefined {
  if (isChannelId(given)) return { channelId: given };
  const handle = /^@?([\p{L}\p{M}\p{N}._·-]{3,30})$/u.exec(given)?.[1];
  if (handle && !hosts.test(handle.toLowerCase())) {
    return { url: `${site}/@${encodeURIComponent(handle)}`, username: handle };
  }
  const url = URL.parse(withOrigin(given));
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    !hosts.test(url.hostname) ||
    url.username ||
    url.port
  ) {
    return undefined;
  }
  const channel = /^\/channel\/([^/]+)/.exec(url.pathname)?.[1];
  if (channel !== undefined) return isChannelId(channel) ? { channelId: channel } : undefined;
  if (url.pathname === "/") return undefined;
  return { url: `${site}${url.pathname}`, username: handleOf(url.pathname) };
}

function withOrigin(given: string): string {
  if (/^https?:\/\//i.test(given)) return given;
  if (given.startsWith("//")) return `https:${given}`;
  return given.startsWith("/") ? site + given : `https://${given}`;
}
