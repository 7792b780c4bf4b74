/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";

export type EncodingReader = ReturnType<typeof encodingReader>;

/**
 * Runs in the page: reads UTF-8 that Chromium took for windows-1252, which it takes where neither the answer nor
 * the document declares an encoding.
 */
export function encodingReader(dom: DomTools) {
  /** Characters of windows-1252 for the bytes from 0x80 to 0x9f. */
  const upper = new TextDecoder("windows-1252").decode(
    Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index),
  );
  const tail = `[\\u0080-\\u00bf${upper}]`;
  const characters = new RegExp(
    `[\\u00c2-\\u00df]${tail}|[\\u00e0-\\u00ef]${tail}{2}|[\\u00f0-\\u00f4]${tail}{3}`,
    "g",
  );
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  const declaration = "meta[charset], meta[http-equiv=content-type i]";

  function decoded(found: string): string {
    const bytes = Uint8Array.from(found, (character) => {
      const at = upper.indexOf(character);
      return at < 0 ? character.charCodeAt(0) : 0x80 + at;
    });
    try {
      return utf8.decode(bytes);
    } catch {
      return found;
    }
  }

  return {
    /** The function that repairs the document's texts; undefined where they are right as they are. */
    repair(isDeclared: boolean): ((text: string) => string) | undefined {
      if (isDeclared || dom.characterSet(document) !== "windows-1252") return undefined;
      if (dom.querySelector(document, declaration)) return undefined;
      return (text) => text.replace(characters, decoded);
    },
  };
}
