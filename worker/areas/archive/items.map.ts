import type { ArchiveItem, ArchiveItemHit } from "../../../contract/areas/archive/records.ts";
import { plain } from "../../mapping/markup.map.ts";
import { escapedPath } from "../../mapping/path.map.ts";
import { type Wire, at, count, defined, each, need, object, text } from "#wire";

/** Items of the archive. A member with one value is a text, with several a list. */

const several = (value: unknown): string[] => {
  const one = text(value);
  return one === undefined ? each(value, text) : [one];
};

/** One text of several lines, as HTML or without. */
const words = (value: unknown): string | undefined => {
  const whole = several(value).map(plain).join("\n");
  // The layout of the HTML leaves blank lines.
  const lines = whole.split("\n").map((line) => line.trim());
  return lines.filter(Boolean).join("\n") || undefined;
};

/** `2009-07-10T01:41:17Z`, or `2009-07-10 01:41:17` in UTC. */
function moment(value: unknown): string | undefined {
  const given = text(value)?.trim();
  if (given === undefined) return undefined;
  const zoned = given.includes("T") ? given : `${given.replace(" ", "T")}Z`;
  const date = new Date(zoned);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(".000", "");
}

function about(row: Wire) {
  const id = need(text(row.identifier), "item.identifier");
  return {
    id,
    title: words(row.title),
    media_type: text(row.mediatype),
    creators: several(row.creator),
    description: words(row.description),
    date: several(row.date)[0],
    languages: several(row.language),
    // Some uploaders put all subjects into one text.
    subjects: several(row.subject).flatMap((one) => one.split(/\s*;\s*/).filter(Boolean)),
    collections: several(row.collection),
    license_url: text(row.licenseurl),
    published_at: moment(several(row.publicdate)[0]),
    item_url: `https://archive.org/details/${id}`,
  };
}

export const itemHit = (row: Wire): ArchiveItemHit =>
  defined({ ...about(row), download_count: count(row.downloads) });

const mostFiles = 500;

/** Undefined for an item that does not exist, which is an empty object. */
export function item(body: unknown): ArchiveItem | undefined {
  const whole = need(object(body), "item");
  const metadata = object(whole.metadata);
  if (!metadata) return undefined;
  const known = about(metadata);
  return defined({
    ...known,
    size: count(whole.item_size),
    file_count: count(whole.files_count),
    files: each(whole.files, (file) => {
      const name = text(at(file, "name"));
      if (name === undefined) return undefined;
      return defined({
        name,
        url: `https://archive.org/download/${known.id}/${escapedPath(name)}`,
        format: text(at(file, "format")),
        size: count(at(file, "size")),
        md5: text(at(file, "md5")),
        is_original: at(file, "source") === "original",
      });
    }).slice(0, mostFiles),
  });
}
