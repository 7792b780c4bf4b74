import { decodeHTMLStrict } from "entities";

/** Elements whose text is for programs. */
const unread = /<(script|style)\b[^<>]*>[^]*?(?:<\/\1\s*>|$)/gi;
const alternative = /\salt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

/** Text of a piece of HTML: line breaks kept, pictures by their `alt`, links by their text. */
export function plain(html: string): string {
  return decodeHTMLStrict(
    html
      .replace(unread, "")
      .replace(/<br\b[^<>]*>/gi, "\n")
      .replace(/<img\b[^<>]*>/gi, (tag) => {
        const [, double, single, bare] = alternative.exec(tag) ?? [];
        return double ?? single ?? bare ?? "";
      })
      .replace(/<\/?[a-z][^<>]*>/gi, ""),
  ).trim();
}
