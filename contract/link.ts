import * as z from "zod";
import { hasHost } from "./target.ts";

const linkLength = 2048;

/**
 * A URL on one of these hosts or their subdomains. People paste what their browser shows, so a
 * missing scheme is added.
 */
export function link(hosts: readonly [string, ...string[]], description: string) {
  const message = `must be an http or https address on ${hosts.join(" or ")}`;
  return z
    .string()
    .trim()
    .min(1, { abort: true })
    .max(linkLength, { abort: true })
    .overwrite(withScheme)
    .refine((text) => isOn(hosts, text), { message })
    .describe(`${description}, on ${hosts.join(" or ")}, with or without scheme`);
}

function withScheme(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  return `https://${text.replace(/^\/\//, "")}`;
}

function isOn(hosts: readonly string[], text: string): boolean {
  const url = /\s/.test(text) ? null : URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || !hasHost(url)) return false;
  if (url.username || url.password || url.port) return false;
  return hosts.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`));
}
