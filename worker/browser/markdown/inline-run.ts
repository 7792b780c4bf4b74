import type { InlineHtml, Piece, Signs } from "./inline-html.ts";

export type InlineRun = ReturnType<ReturnType<typeof inlineRun>>;

/** Runs in the page: collects the text of one paragraph as marked pieces. */
export function inlineRun() {
  return function make(html: InlineHtml, signs: Signs) {
    const { plain } = html;
    let pieces: Piece[] = [];
    let pendingSpace = false;
    /** Checks still open for whether the next word stands apart. */
    let doubts: (() => boolean)[] = [];

    // The converter uses noncharacters itself; control characters mean nothing in Markdown.
    // oxlint-disable-next-line no-control-regex
    const meaningless = /[\u0000-\u0008\u000b\u000e-\u001f\ufdd0-\ufdef]/g;
    /** The same, soft breaks and byte order marks: characters that show nothing. */
    // oxlint-disable-next-line no-control-regex
    const unread = /[\u0000-\u0008\u000b\u000e-\u001f\u00ad\u200b\u2060\ufdd0-\ufdef\ufeff]/g;
    const address = /https?:\/\/[^\s<>"'`\u3000-\u303f\uff00-\uffef]+/g;

    const markup = /[_*~[\]\\]/;
    const end = /[.,;:!?)\]}*_~]+$/;
    const endInBrackets = /[.,;:!?\]}*_~]+$/;

    function add(kind: Piece["kind"], text: string, source = ""): void {
      addSpace();
      if (kind !== "text" || text.trim()) run.shown += 1;
      pieces.push({ ...run.marks, kind, text, source });
    }

    /** Keeps bare URLs in a text from being escaped: an escaped URL leads nowhere. */
    function addText(text: string): void {
      let from = 0;
      if (!run.marks.linkId && !run.marks.code && text.includes("://")) {
        for (const { 0: found, index } of text.matchAll(address)) {
          if (!markup.test(found)) continue;
          const plainUrl = found.replace(found.includes("(") ? endInBrackets : end, "");
          const url = plainUrl + (/^_+/.exec(found.slice(plainUrl.length))?.[0] ?? "");
          if (!markup.test(url)) continue;
          if (index > from) add("text", text.slice(from, index));
          // Renderers leave underscores at the end out of a bare URL.
          add("raw", url === plainUrl ? url : `<${url}>`);
          from = index + url.length;
        }
      }
      if (from < text.length) add("text", text.slice(from));
    }

    /** A space between two words belongs to the emphasis or link of neither, unless both share it. */
    function addSpace(): void {
      const last = pieces.at(-1);
      if (last && last.kind !== "break" && (pendingSpace || doubts.some((apart) => apart()))) {
        const { marks } = run;
        pieces.push({
          kind: "text",
          text: " ",
          source: "",
          link: last.linkId === marks.linkId ? marks.link : "",
          linkId: last.linkId === marks.linkId ? marks.linkId : 0,
          bold: last.bold && marks.bold,
          italic: last.italic && marks.italic,
          strike: last.strike && marks.strike,
          code: last.code && marks.code,
          script: "",
        });
      }
      pendingSpace = false;
      if (doubts.length > 0) doubts = [];
    }

    const run = {
      plain,
      /** Pieces so far that show something. */
      shown: 0,
      /** Marks of the text that is added next. */
      marks: plain,
      escape: html.escape,
      clean: (text: string) => text.replace(meaningless, ""),

      /** Adds text of the page; white space collapses unless CSS preserves it. */
      text(value: string, preserve: boolean): void {
        const clean = value.replace(unread, "");
        if (preserve) {
          clean.split("\n").forEach((line, index) => {
            if (index > 0) run.lineBreak();
            if (line) addText(line.replace(/[\t\r\f]/g, " "));
          });
          return;
        }
        const collapsed = clean.replace(/[ \t\r\n\f]{2,}|[\t\r\n\f]/g, " ");
        if (collapsed.startsWith(" ")) pendingSpace = true;
        // Other spaces, such as the no-break space, do not collapse.
        const words = collapsed.replace(/^ | $/g, "");
        if (words) {
          addText(words);
          pendingSpace = collapsed.endsWith(" ");
        }
      },

      /** Adds text that the page does not hold, without the page's marks. */
      literal(text: string): void {
        addSpace();
        run.shown += 1;
        pieces.push({ ...plain, kind: "text", text, source: "" });
      },

      /** Adds Markdown as it is. */
      raw(markdown: string): void {
        add("raw", run.clean(markdown));
      },

      image(source: string, alt: string): void {
        add("image", run.clean(alt).replace(/\s+/g, " ").trim(), source);
      },

      space(): void {
        pendingSpace = true;
      },

      /** Adds a space if `apart` returns true; calls it only when a word comes without a space before it. */
      spaceIf(apart: () => boolean): void {
        if (!pendingSpace && pieces.length > 0) doubts.push(apart);
      },

      lineBreak(): void {
        pendingSpace = false;
        doubts = [];
        pieces.push({ ...plain, kind: "break", text: "", source: "" });
      },

      /** Ends the paragraph and returns its HTML, empty when it shows nothing. */
      take(inHeading: boolean): string {
        pendingSpace = false;
        doubts = [];
        if (pieces.length === 0) return "";
        const shows = (piece: Piece) => piece.kind !== "text" || piece.text.trim() !== "";
        const lines: Piece[][] = [[]];
        for (const piece of pieces) {
          if (piece.kind === "break") lines.push([]);
          else lines.at(-1)?.push(piece);
        }
        pieces = [];
        const written = lines.map((line) => {
          const [first, last] = [line.findIndex(shows), line.findLastIndex(shows)];
          const shown = line.slice(first, last + 1);
          const [start, end] = [shown[0], shown.at(-1)];
          if (start?.kind === "text") start.text = start.text.trimStart();
          if (end?.kind === "text") end.text = end.text.trimEnd();
          return first === -1 ? "" : html.line(shown, inHeading, signs);
        });
        const [first, last] = [written.findIndex(Boolean), written.findLastIndex(Boolean)];
        return written.slice(Math.max(0, first), last + 1).join(inHeading ? " " : "<br>");
      },
    };
    return run;
  };
}
