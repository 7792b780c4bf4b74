import { mf2 } from "microformats-parser";
import { amendMicroformats } from "../../browser/plain/amend-microformats.ts";
import type { MicroformatItem } from "./microformats.map.ts";

/** Reads the microformats of a document. Only threads call it: the parser recurses, and bad input takes long. */
export function readMicroformats(
  html: string,
  url: string,
): { items: MicroformatItem[]; isCut: boolean } {
  try {
    const { items } = mf2(amendMicroformats(html, url), { baseUrl: url });
    dropEmptyPictures(items);
    return { items, isCut: false };
  } catch (error) {
    // A document that is nested too deep for the parser has more than is read; others that it refuses have no items.
    return { items: [], isCut: error instanceof RangeError };
  }
}

/** The parser implies a picture of `img` without `src`, which has a text in place of an address only. */
function dropEmptyPictures(items: readonly MicroformatItem[]): void {
  const pending = [...items];
  for (let item = pending.pop(); item; item = pending.pop()) {
    pending.push(...(item.children ?? []));
    for (const [name, values] of Object.entries(item.properties)) {
      const there = values.filter(
        (value) => typeof value === "string" || !("alt" in value) || value.value !== undefined,
      );
      if (there.length === 0 && values.length > 0) delete item.properties[name];
      else if (there.length < values.length) item.properties[name] = there;
      for (const value of there) {
        if (typeof value === "object" && "properties" in value) pending.push(value);
      }
    }
  }
}
