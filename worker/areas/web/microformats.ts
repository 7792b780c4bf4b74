import { mf2 } from "microformats-parser";
import type { MicroformatItem } from "./microformats.map.ts";

/** Reads the microformats of a document. Only threads call it: the parser recurses, and bad input takes long. */
export function readMicroformats(
  html: string,
  url: string,
): { items: MicroformatItem[]; isCut: boolean } {
  try {
    return { items: mf2(html, { baseUrl: url }).items, isCut: false };
  } catch {
    // A document that is nested too deep for the parser has more than is read.
    return { items: [], isCut: true };
  }
}
