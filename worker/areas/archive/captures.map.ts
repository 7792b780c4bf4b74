import type { Capture, NearestCapture } from "../../../contract/areas/archive/records.ts";
import { ShapeError, at, count, defined, integer, need, text } from "#wire";

/** Captures of the Wayback Machine. */

const site = "https://web.archive.org/web";

/** `20150601` with up to fourteen digits as ISO 8601. */
export function momentOf(timestamp: string): string | undefined {
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(timestamp);
  if (!digits) return undefined;
  const [, year, month, day, hour, minute, second] = digits;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(".000", "");
}

const addresses = (timestamp: string, url: string) => ({
  capture_url: `${site}/${timestamp}/${url}`,
  raw_url: `${site}/${timestamp}id_/${url}`,
});

/** Columns to ask for, in the order of a line. */
export const captureColumns = [
  "timestamp",
  "original",
  "mimetype",
  "statuscode",
  "digest",
  "length",
  "urlkey",
] as const;

/** Values in which captures are alike. */
const marks = {
  capture: () => undefined,
  content: ({ digest }: Line) => digest,
  day: ({ timestamp }: Line) => timestamp.slice(0, 8),
  month: ({ timestamp }: Line) => timestamp.slice(0, 6),
  year: ({ timestamp }: Line) => timestamp.slice(0, 4),
  page: ({ urlkey }: Line) => urlkey,
};

interface Line {
  timestamp: string;
  digest: string | undefined;
  urlkey: string | undefined;
}

export interface Captures {
  captures: Capture[];
  /** The value of the first and of the last capture, where of captures alike in it only one is shown. */
  first: string | undefined;
  last: string | undefined;
  /** Where the next page begins; absent on the last one. */
  next: string | undefined;
}

/** Lines of columns. An empty line goes before the key of the next page. A page without captures is empty. */
export function capturesOf(body: unknown, alike: keyof typeof marks = "capture"): Captures {
  const given = need(typeof body === "string" ? body : undefined, "index");
  const [lines = "", key] = given.split(/\r?\n\r?\n/);
  const list = lines.split(/\r?\n/).filter(Boolean);
  const values: (string | undefined)[] = [];
  const captures = list.flatMap((line) => {
    const [timestamp = "", url = "", type, status, digest, length, urlkey] = line.split(" ");
    const captured_at = momentOf(timestamp);
    if (captured_at === undefined || url === "") return [];
    values.push(marks[alike]({ timestamp, digest, urlkey }));
    return defined({
      url,
      captured_at,
      ...addresses(timestamp, url),
      // A repeated capture has "-" for its status.
      status: integer(status),
      content_type: text(type),
      digest: text(digest),
      size: count(length),
    });
  });
  if (list.length > 0 && captures.length === 0) throw new ShapeError("index line");
  return { captures, first: values[0], last: values.at(-1), next: text(key?.trim()) };
}

/** Undefined where the archive has no capture. The answer repeats the address as it was asked for. */
export function nearest(body: unknown): NearestCapture | undefined {
  const closest = at(body, "archived_snapshots", "closest");
  if (at(closest, "available") !== true) return undefined;
  const timestamp = need(text(at(closest, "timestamp")), "closest.timestamp");
  const given = need(text(at(closest, "url")), "closest.url");
  const url = /\/web\/\d+\/(.+)$/.exec(given)?.[1] ?? need(text(at(body, "url")), "url");
  return defined({
    url,
    captured_at: need(momentOf(timestamp), "closest.timestamp"),
    ...addresses(timestamp, url),
    status: integer(at(closest, "status")),
  });
}
