export type InlineRun = ReturnType<typeof inlineRun>;

/** Marks of a piece of running text. */
export interface Marks {
  /** Absolute URL, or empty. */
  link: string;
  /** Tells neighbouring links to the same address apart. */
  linkId: number;
  bold: boolean;
  italic: boolean;
  strike: boolean;
  code: boolean;
  script: "" | "sub" | "sup";
}

/**
 * Runs in the page: collects the text of one paragraph as marked pieces and writes it as HTML in which
 * emphasis never begins or ends with a space and equal neighbours are one.
 */
export function inlineRun() {
  interface Piece extends Marks {
    kind: "text" | "raw" | "image" | "break";
    text: string;
    source: string;
  }
  type Style = { open: string; close: string; id: number };

  const plain: Marks = {
    link: "",
    linkId: 0,
    bold: false,
    italic: false,
    strike: false,
    code: false,
    script: "",
  };
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

  const fourDigits = (code: number) => code.toString(16).padStart(4, "0");
  const ascii = Array.from({ length: 128 }, (_, code) => fourDigits(code));

  const escape = (text: string) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;");

  function add(kind: Piece["kind"], text: string, source = ""): void {
    addSpace();
    run.shown += 1;
    pieces.push({ ...run.marks, kind, text, source });
  }

  /** Keeps bare URLs in a text from being escaped: an escaped URL leads nowhere. */
  function addText(text: string): void {
    let from = 0;
    if (!run.marks.linkId && !run.marks.code && text.includes("://")) {
      for (const { 0: found, index } of text.matchAll(address)) {
        if (!markup.test(found)) continue;
        const url = found.replace(found.includes("(") ? endInBrackets : end, "");
        if (!markup.test(url)) continue;
        if (index > from) add("text", text.slice(from, index));
        add("raw", url);
        from = index + url.length;
      }
    }
    if (from < text.length) add("text", text.slice(from));
  }

  /** Hides a text from the converter as four digits for each character; tidying undoes it. */
  function sealed(text: string): string {
    const digits: string[] = [];
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      digits.push(ascii[code] ?? fourDigits(code));
    }
    return `${run.seal.open}${digits.join("")}${run.seal.close}`;
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

  function stylesOf(piece: Piece, inHeading: boolean): Style[] {
    const styles: Style[] = [];
    const style = (tag: string) => styles.push({ open: `<${tag}>`, close: `</${tag}>`, id: 0 });
    if (piece.link) {
      const open = `<a href="${escape(piece.link)}">`;
      styles.push({ open, close: "</a>", id: piece.linkId });
    }
    if (piece.kind === "image") return styles;
    if (piece.strike) style("del");
    if (piece.bold && !inHeading) style("strong");
    if (piece.italic) style("em");
    if (piece.script) style(piece.script);
    if (piece.code) style("code");
    return styles;
  }

  const run = {
    plain,
    /** Stands before a link or image that follows a word directly, because the converter would part them. */
    joiner: "",
    /** Stands around text that is Markdown already. */
    seal: { open: "", close: "" },
    /** Pieces so far that show something. */
    shown: 0,
    /** Marks of the text that is added next. */
    marks: plain,
    escape,
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
      const words = collapsed.trim();
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
      const blank = (piece: Piece | undefined) =>
        piece?.kind === "break" || (piece?.kind === "text" && !piece.text.trim());
      let start = 0;
      let end = pieces.length;
      while (start < end && blank(pieces[start])) start += 1;
      while (end > start && blank(pieces[end - 1])) end -= 1;
      const taken = pieces.slice(start, end);
      pieces = [];

      let html = "";
      const opened: Style[] = [];
      const same = (a: Style | undefined, b: Style | undefined) =>
        a?.open === b?.open && a?.id === b?.id;
      /** Last character of the text so far, kept so that the text is not searched again and again. */
      let before = "";
      let linked = false;
      for (const piece of taken) {
        const styles = piece.kind === "break" ? [] : stylesOf(piece, inHeading);
        let kept = 0;
        while (kept < opened.length && same(opened[kept], styles[kept])) kept += 1;
        while (opened.length > kept) html += opened.pop()?.close ?? "";
        const parted =
          piece.kind === "image" || styles.slice(kept).some(({ open }) => open.startsWith("<a"));
        // Neighbouring links are separate words.
        if (parted && /\S$/.test(before) && !(linked && piece.linkId)) html += run.joiner;
        for (const style of styles.slice(kept)) {
          html += style.open;
          opened.push(style);
        }
        if (piece.kind === "break") html += inHeading ? " " : "<br>";
        else if (piece.kind === "image") {
          html += `<img src="${escape(piece.source)}" alt="${escape(piece.text)}">`;
        } else html += piece.kind === "raw" ? sealed(piece.text) : escape(piece.text);
        before = piece.kind === "text" || piece.kind === "raw" ? piece.text.slice(-1) : "";
        linked = piece.linkId > 0;
      }
      while (opened.length > 0) html += opened.pop()?.close ?? "";
      return html;
    },
  };
  return run;
}
