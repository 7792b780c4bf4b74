import type { CodeFile, CodeIssue } from "../../../contract/areas/code/records.ts";
import type { CodeHost } from "../../../contract/areas/code/hosts.ts";
import { count, defined, text } from "#wire";

/** Values that all records of source code share. */

/** A moment as ISO 8601 in UTC; GitLab has offsets and fractions. */
export function moment(value: unknown): string | undefined {
  const given = text(value);
  if (given === undefined) return undefined;
  const date = new Date(given);
  // Gitea writes the year 1 for a moment that never was.
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1970) return undefined;
  return date.toISOString();
}

/** An address as a person typed it into a profile: the scheme may be missing. */
export function website(value: unknown): string | undefined {
  const given = text(value)?.trim();
  if (given === undefined || given === "") return undefined;
  const whole = /^[a-z][a-z0-9+.-]*:/i.test(given) ? given : `https://${given}`;
  const url = URL.parse(whole);
  return url && /^https?:$/.test(url.protocol) ? whole : undefined;
}

export const stateOf = (value: unknown): CodeIssue["state"] =>
  value === "closed" ? "closed" : "open";

export const nameIn = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
export const ownerIn = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

interface Content {
  host: CodeHost;
  repository: string;
  path: string;
  size: unknown;
  sha: unknown;
  /** Base64; absent or empty where the host does not send the content. */
  content: unknown;
  url: string | undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A file with its text, where it is UTF-8 without NUL. */
export function fileOf({ host, repository, path, size, sha, content, url }: Content): CodeFile {
  const bytes = Buffer.from(text(content) ?? "", "base64");
  const bytesOfFile = count(size);
  const decoded = bytes.length === 0 && bytesOfFile !== 0 ? undefined : decode(bytes);
  return defined({
    host,
    repository,
    path,
    name: nameIn(path),
    size: bytesOfFile,
    sha: text(sha),
    is_binary: bytes.length > 0 && decoded === undefined,
    text: decoded,
    url,
  });
}

function decode(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
