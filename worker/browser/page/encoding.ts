/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";

/**
 * Runs in the page: makes the tools read UTF-8 that Chromium took for windows-1252, which it takes where neither the
 * answer nor the document declares an encoding. Texts are repaired as they are read, because readers make spaces of
 * no-break spaces, which may be parts of a character.
 */
export function rightlyEncoded(dom: DomTools, isDeclared: boolean): DomTools {
  if (isDeclared || dom.characterSet(document) !== "windows-1252") return dom;
  if (dom.querySelector(document, "meta[charset], meta[http-equiv=content-type i]")) return dom;

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

  const repair = (text: string) => text.replace(characters, decoded);
  const repaired =
    <Args extends unknown[], Text extends string | null>(read: (...args: Args) => Text) =>
    (...args: Args) => {
      const text = read(...args);
      return (text === null ? text : repair(text)) as Text;
    };
  const { attribute, outerHtml } = dom;
  const linkTarget = dom.linkTarget.bind(dom);
  const imageSource = dom.imageSource.bind(dom);
  /** The address in an attribute; an element resolves only what it took the attribute for. */
  const address =
    <Kind extends Element>(name: string, resolved: (element: Kind) => string | undefined) =>
    (element: Kind) => {
      const stated = attribute(element, name);
      const right = stated === null ? null : repair(stated);
      return right === stated ? resolved(element) : dom.webUrl(right);
    };
  return Object.assign(dom, {
    textContent: repaired(dom.textContent),
    nodeValue: repaired(dom.nodeValue),
    attribute: repaired(attribute),
    inputValue: repaired(dom.inputValue),
    areaValue: repaired(dom.areaValue),
    linkTarget: address("href", linkTarget),
    imageSource: address("src", imageSource),
    /** HTML names no-break spaces. */
    outerHtml: (element: Element) =>
      repair(outerHtml(element).replaceAll("&nbsp;", "\u00a0")).replaceAll("\u00a0", "&nbsp;"),
  });
}
