export type InlineRun = ReturnType<typeof inlineRun>;

/** How a piece of running text is marked up. */
export interface Marks {
  /** Absolute URL, or empty. */
  link: string;
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
    kind: "text" | "image" | "break";
    text: string;
    source: string;
  }
  type Style = { open: string; close: string };

  const plain: Marks = {
    link: "",
    bold: false,
    italic: false,
    strike: false,
    code: false,
    script: "",
  };
  let pieces: Piece[] = [];
  let pendingSpace = false;

  const escape = (text: string) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;");

  function add(kind: Piece["kind"], text: string, source = ""): void {
    addSpace();
    pieces.push({ ...run.marks, kind, text, source });
  }

  /** A space between two words belongs to neither's emphasis or link, unless both share it. */
  function addSpace(): void {
    const last = pieces.at(-1);
    if (pendingSpace && last && last.kind !== "break") {
      const { marks } = run;
      pieces.push({
        kind: "text",
        text: " ",
        source: "",
        link: last.link === marks.link ? marks.link : "",
        bold: last.bold && marks.bold,
        italic: last.italic && marks.italic,
        strike: last.strike && marks.strike,
        code: last.code && marks.code,
        script: "",
      });
    }
    pendingSpace = false;
  }

  function stylesOf(piece: Piece, inHeading: boolean): Style[] {
    const styles: Style[] = [];
    const style = (tag: string) => styles.push({ open: `<${tag}>`, close: `</${tag}>` });
    if (piece.link) styles.push({ open: `<a href="${escape(piece.link)}">`, close: "</a>" });
    if (piece.kind !== "text") return styles;
    if (piece.strike) style("del");
    if (piece.bold && !inHeading) style("strong");
    if (piece.italic) style("em");
    if (piece.script) style(piece.script);
    if (piece.code) style("code");
    return styles;
  }

  const run = {
    plain,
    /** Put before a link or image that follows a word directly: the converter would part them. */
    joiner: "",
    /** Marks of what is added next. */
    marks: plain,
    escape,

    /** Text of the page; white space collapses unless CSS preserves it. */
    text(value: string, preserve: boolean): void {
      // Noncharacters are the converter's own; control characters mean nothing in Markdown.
      // oxlint-disable-next-line no-control-regex
      const clean = value.replace(/[\u0000-\u0008\u000b\u000e-\u001f\ufdd0-\ufdef]/g, "");
      if (preserve) {
        clean.split("\n").forEach((line, index) => {
          if (index > 0) run.lineBreak();
          if (line) add("text", line.replace(/[\t\r\f]/g, " "));
        });
        return;
      }
      const collapsed = clean.replace(/[ \t\r\n\f\u200b]+/g, " ");
      if (collapsed.startsWith(" ")) pendingSpace = true;
      const words = collapsed.trim();
      if (words) {
        add("text", words);
        pendingSpace = collapsed.endsWith(" ");
      }
    },

    /** Text of our own, outside the page's marks. */
    literal(text: string): void {
      addSpace();
      pieces.push({ ...plain, kind: "text", text, source: "" });
    },

    image(source: string, alt: string): void {
      add("image", alt.replace(/\s+/g, " ").trim(), source);
    },

    space(): void {
      pendingSpace = true;
    },

    lineBreak(): void {
      pendingSpace = false;
      pieces.push({ ...plain, kind: "break", text: "", source: "" });
    },

    /** Ends the paragraph: its HTML, empty when it shows nothing. */
    take(inHeading: boolean): string {
      pendingSpace = false;
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
      /** Last character of the text so far: the whole of it must not be looked at again and again. */
      let before = "";
      for (const piece of taken) {
        const styles = piece.kind === "break" ? [] : stylesOf(piece, inHeading);
        let kept = 0;
        while (kept < opened.length && opened[kept]?.open === styles[kept]?.open) kept += 1;
        while (opened.length > kept) html += opened.pop()?.close ?? "";
        const parted =
          piece.kind === "image" || styles.slice(kept).some(({ open }) => open.startsWith("<a"));
        if (parted && /\S$/.test(before)) html += run.joiner;
        for (const style of styles.slice(kept)) {
          html += style.open;
          opened.push(style);
        }
        if (piece.kind === "break") html += inHeading ? " " : "<br>";
        else if (piece.kind === "image") {
          html += `<img src="${escape(piece.source)}" alt="${escape(piece.text)}">`;
        } else html += escape(piece.text);
        before = piece.kind === "text" ? piece.text.slice(-1) : "";
      }
      while (opened.length > 0) html += opened.pop()?.close ?? "";
      return html;
    },
  };
  return run;
}
