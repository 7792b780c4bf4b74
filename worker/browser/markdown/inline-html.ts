export type InlineHtml = ReturnType<typeof inlineHtml>;

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

/** A part of running text that has the same marks throughout. */
export interface Piece extends Marks {
  kind: "text" | "raw" | "image" | "break";
  text: string;
  source: string;
}

/** Noncharacters that tidying replaces by Markdown. */
export interface Signs {
  /** Stands before a link or image that follows a word directly, because the converter would part them. */
  joiner: string;
  /** Stand around text that is Markdown already. */
  seal: { open: string; close: string };
  /** Stand at both ends of emphasis: the converter does not know where Markdown permits it. */
  emphasis: { bold: string; italic: string; strike: string; italicBesideBold: string };
}

/**
 * Runs in the page: writes one line of running text as HTML. Emphasis begins and ends only where CommonMark's rules
 * of flanking delimiters permit it: not beside a space, and not between punctuation inside and a letter outside.
 */
export function inlineHtml() {
  type Emphasis = "strike" | "bold" | "italic";
  type Style = Emphasis | "link" | "script" | "code";
  type Active = { [Name in Style]?: true };
  interface Token extends Piece {
    space: boolean;
  }

  const emphases: Emphasis[] = ["strike", "bold", "italic"];
  /** Among styles of the same length the first is the outer one. Nothing can be marked within code. */
  const outerFirst: Style[] = ["link", ...emphases, "script"];
  // Versions of CommonMark disagree on symbols beyond ASCII. They count as whatever forbids the emphasis.
  const punctuation = /^[\p{P}\p{S}]/u;
  const punctuationAtEnd = /[\p{P}\p{S}]$/u;
  /** Characters beside which emphasis may begin or end with punctuation; the last two are task boxes. */
  const permissive = /[\s\p{P}$+<=>^`|~\ufdd0\ufdd1]/u;

  const fourDigits = (code: number) => code.toString(16).padStart(4, "0");
  const ascii = Array.from({ length: 128 }, (_, code) => fourDigits(code));

  const reserved = /[&<>"]/;
  function escape(text: string): string {
    if (!reserved.test(text)) return text;
    return text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;");
  }

  /** The punctuation and spaces at the start of a text, its middle, and those at its end. */
  function atPunctuation(text: string): string[] {
    const lead = /^[\p{P}\p{S}\s]*/u.exec(text)?.[0].length ?? 0;
    let end = text.length;
    while (end > lead) {
      const last = /[\p{P}\p{S}\s]$/u.exec(text.slice(Math.max(0, end - 2), end));
      if (!last) break;
      end -= last[0].length;
    }
    // Emphasis may begin and end at each part, so none of them has a space at its edge.
    return [text.slice(0, lead), text.slice(lead, end), text.slice(end)].flatMap((part) =>
      part.split(/(^\s+|\s+$)/).filter(Boolean),
    );
  }

  const isBare = (piece: Piece) =>
    !piece.linkId && !piece.bold && !piece.italic && !piece.strike && !piece.code && !piece.script;

  /** Parts a marked piece at its edges, so that a mark can leave out the space or punctuation there. */
  function tokensOf(piece: Piece): Token[] {
    const { kind, text } = piece;
    if (kind === "image") {
      return [{ ...piece, bold: false, italic: false, strike: false, script: "", space: false }];
    }
    const space = kind === "text" && !text.trim();
    const isMarked = piece.bold || piece.italic || piece.strike;
    if (kind === "raw" || space) return [{ ...piece, space }];
    const lead = text.length - text.trimStart().length;
    const end = text.trimEnd().length;
    const middle = text.slice(lead, end);
    const words = isMarked && !piece.code ? atPunctuation(middle) : [middle];
    return [text.slice(0, lead), ...words, text.slice(end)]
      .filter(Boolean)
      .map((part) => ({ ...piece, text: part, space: !part.trim() }));
  }

  function has(token: Token | undefined, style: Style, like: Token): boolean {
    if (style === "link") return token?.linkId === like.linkId && like.linkId > 0;
    if (style === "code") return token?.code === true && token.linkId === like.linkId;
    if (style === "script") return token?.script === like.script && like.script !== "";
    return token?.[style] === true;
  }

  /** Code is one piece for all other marks: a part of it cannot have its own emphasis. */
  function unmarkCode(tokens: Token[]): void {
    for (let from = 0; from < tokens.length; from += 1) {
      const first = tokens[from] as Token;
      if (!first.code) continue;
      let to = from + 1;
      while (tokens[to]?.code && tokens[to]?.linkId === first.linkId) to += 1;
      const code = tokens.slice(from, to);
      for (const style of emphases) {
        const isWhole = code.every((token) => token[style]);
        for (const token of code) token[style] = isWhole;
      }
      const isScript = code.every(({ script }) => script === first.script);
      if (!isScript) for (const token of code) token.script = "";
      from = to - 1;
    }
  }

  function lineTokens(pieces: Piece[]): Token[] {
    const tokens: Token[] = [];
    for (const piece of pieces) {
      if (isBare(piece) && piece.kind !== "image") {
        // A bare piece is written as it is; only its edges matter to its neighbours.
        const token = piece as Token;
        token.space = piece.text === " ";
        tokens.push(token);
        continue;
      }
      const last = tokens.at(-1);
      const [first, ...others] = tokensOf(piece);
      if (!first) continue;
      // Neighbouring links are separate words.
      if (last?.linkId && first.linkId && last.linkId !== first.linkId) {
        if (!last.space && !first.space) tokens.push({ ...last, ...plainSpace });
      }
      tokens.push(first, ...others);
    }
    unmarkCode(tokens);
    return tokens;
  }

  const plain: Marks = {
    link: "",
    linkId: 0,
    bold: false,
    italic: false,
    strike: false,
    code: false,
    script: "",
  };
  const plainSpace = { ...plain, kind: "text", text: " ", space: true } as const;

  /** Characters at an edge of a token as Markdown shows it, apart from asterisks and underscores. */
  function edge(token: Token, active: Active, last: boolean): string {
    if (token.space) return " ";
    if (token.linkId && !active.link) return last ? ")" : "[";
    if (token.kind === "image") return last ? ")" : "!";
    if (token.script && !active.script) return last ? ">" : "<";
    if (token.strike && !active.strike) return "~";
    if (token.code) return "`";
    return last ? token.text.slice(-2) : token.text.slice(0, 2);
  }

  /** Text that follows emphasis which ends before a token. A strike there may yet be left out. */
  const outside = (token: Token, active: Active) => edge(token, { ...active, strike: true }, false);

  /** Writes the tokens of one line. */
  function line(pieces: Piece[], inHeading: boolean, signs: Signs): string {
    // Most lines have no marks, and need none of the work below.
    if (pieces.every((piece) => piece.kind === "text" && isBare(piece))) {
      return pieces.map(({ text }) => escape(text)).join("");
    }
    const tokens = lineTokens(pieces);
    const out: string[] = [];
    /** The last character so far apart from signs of emphasis. */
    let before = " ";
    if (inHeading) for (const token of tokens) token.bold = false;

    /** Hides a text from the converter as four digits for each character; tidying undoes it. */
    function sealed(text: string): string {
      const digits: string[] = [];
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        digits.push(ascii[code] ?? fourDigits(code));
      }
      return `${signs.seal.open}${digits.join("")}${signs.seal.close}`;
    }

    function join(): void {
      const last = out.at(-1) ?? " ";
      if (/[ \n]$/.test(last)) return;
      // An exclamation mark would make a link an image.
      if (last.endsWith("!")) out[out.length - 1] = `${last.slice(0, -1)}${sealed("\\!")}`;
      out.push(signs.joiner);
    }

    function leaf(token: Token): void {
      if (token.kind === "image") {
        join();
        out.push(`<img src="${escape(token.source)}" alt="${escape(token.text)}">`);
        before = ")";
      } else {
        out.push(token.kind === "raw" ? sealed(token.text) : escape(token.text));
        before = token.text.slice(-2);
      }
    }

    /** The outermost of the styles that begin at a token, and where it ends. */
    function outermost(at: number, to: number, active: Active) {
      const token = tokens[at] as Token;
      let found: { style: Style; end: number } | undefined;
      for (const style of outerFirst) {
        if (active[style] || !has(token, style, token)) continue;
        const end = endOf(style, at, to);
        if (end > (found?.end ?? at)) found = { style, end };
      }
      if (!found && token.code) {
        found = { style: "code", end: endOf("code", at, to) };
      }
      return found;
    }

    function endOf(style: Style, at: number, to: number): number {
      const token = tokens[at] as Token;
      let end = at + 1;
      while (end < to && has(tokens[end], style, token)) end += 1;
      return withoutSpace(end);
    }

    function withoutSpace(end: number): number {
      let shorter = end;
      while (tokens[shorter - 1]?.space) shorter -= 1;
      return shorter;
    }

    /** Takes a style from the last tokens of a run that go on with another style beyond its end. */
    function withoutOverlap(
      style: Emphasis,
      at: number,
      runEnd: number,
      to: number,
      { active }: Way,
    ): number {
      let end = runEnd;
      const [last, next] = [tokens[end - 1] as Token, tokens[end]];
      if (end >= to) return end;
      if (!active.link && has(next, "link", last)) {
        while (end > at && has(tokens[end - 1], "link", last)) end -= 1;
        return withoutSpace(end);
      }
      const other = emphases.find((name) => name !== style && last[name] && next?.[name]);
      if (!other || next?.space) return end;
      while (end > at && tokens[end - 1]?.[other]) {
        end -= 1;
        (tokens[end] as Token)[style] = false;
      }
      return withoutSpace(end);
    }

    /** The end of emphasis that begins at a token; at or before the token if it cannot begin there. */
    function fit(style: Emphasis, at: number, runEnd: number, to: number, way: Way): number {
      const active = { ...way.active, [style]: true as const };
      const first = tokens[at] as Token;
      const inner = (token: Token, last: boolean) =>
        emphases.some((name) => token[name] && !active[name]) ? "*" : edge(token, active, last);
      if (punctuation.test(inner(first, false)) && !permissive.test(lastOf(before))) {
        if (!isBoxed(first, way.active)) first[style] = false;
        return at;
      }
      let end = withoutOverlap(style, at, runEnd, to, way);
      while (end > at) {
        const last = tokens[end - 1] as Token;
        const next = tokens[end];
        const after = end < to && next ? outside(next, way.active) : way.after;
        if (!punctuationAtEnd.test(inner(last, true)) || permissive.test(firstOf(after))) break;
        const box = isBoxed(last, way.active);
        if (box) while (end > at && has(tokens[end - 1], box, last)) end -= 1;
        else {
          last[style] = false;
          end -= 1;
        }
        end = withoutSpace(end);
      }
      if (style !== "italic" || end <= at || signOf("italic", at, end, to, way)) return end;
      for (const token of tokens.slice(at, end)) token.italic = false;
      return at;
    }

    /**
     * The sign of emphasis. Runs of three asterisks are ambiguous, so italics beside or around or within bold text
     * have underscores; undefined where a letter beside them forbids these.
     */
    function signOf(style: Emphasis, at: number, end: number, to: number, way: Way) {
      if (style !== "italic") return signs.emphasis[style];
      const isAfterSign = Object.values(signs.emphasis).includes(out.at(-1) ?? "");
      const isAlone =
        !way.active.bold && !isAfterSign && !tokens.slice(at, end + 1).some(({ bold }) => bold);
      if (isAlone) return signs.emphasis.italic;
      const next = tokens[end];
      const after = end < to && next ? outside(next, way.active) : way.after;
      const mayEnd = (end === to && way.inEmphasis) || permissive.test(firstOf(after));
      const mayBegin = isAfterSign || permissive.test(lastOf(before));
      return mayBegin && mayEnd ? signs.emphasis.italicBesideBold : undefined;
    }

    interface Way {
      /** Styles that are open. */
      active: Active;
      /** Text that follows the tokens of this level, apart from signs of emphasis. */
      after: string;
      /** Whether the innermost open style is emphasis. */
      inEmphasis: boolean;
    }

    /** Writes the tokens between two places, with the styles that are not active. */
    function write(from: number, to: number, way: Way): void {
      let at = from;
      while (at < to) {
        const token = tokens[at] as Token;
        const isLeaf = token.space || way.active.code || isBare(token);
        const found = isLeaf ? undefined : outermost(at, to, way.active);
        if (!found) {
          leaf(token);
          at += 1;
          continue;
        }
        let { style, end } = found;
        if (style === "strike" || style === "bold" || style === "italic") {
          end = fit(style, at, end, to, way);
          const box = isBoxed(token, way.active);
          // The emphasis cannot stand around a link here, but within it.
          if (end <= at && token[style] && box) [style, end] = [box, endOf(box, at, to)];
        }
        if (end <= at) {
          token[style as Emphasis] = false;
          continue;
        }
        group(style, at, end, to, way);
        at = end;
      }
    }

    function group(style: Style, at: number, end: number, to: number, way: Way): void {
      const token = tokens[at] as Token;
      const next = tokens[end];
      const active = { ...way.active, [style]: true as const };
      if (style === "link") {
        join();
        out.push(`<a href="${escape(token.link)}">`);
        before = "[";
        write(at, end, { active, after: "]", inEmphasis: false });
        out.push("</a>");
        before = ")";
      } else if (style === "script" || style === "code") {
        const tag = style === "code" ? "code" : token.script;
        out.push(`<${tag}>`);
        before = ">";
        write(at, end, { active, after: "<", inEmphasis: false });
        out.push(`</${tag}>`);
        before = ">";
      } else {
        const after = end < to && next ? outside(next, way.active) : way.after;
        const sign = signOf(style, at, end, to, way) ?? "";
        out.push(sign);
        write(at, end, { active, after, inEmphasis: true });
        out.push(sign);
      }
    }

    write(0, tokens.length, { active: {}, after: " ", inEmphasis: false });
    return out.join("");
  }

  /** A style of the token that has brackets or tags, within which emphasis is always permitted. */
  function isBoxed(token: Token, active: Active): "link" | "script" | undefined {
    if (token.linkId && !active.link) return "link";
    return token.script && !active.script ? "script" : undefined;
  }

  const firstOf = (text: string) => String.fromCodePoint(text.codePointAt(0) ?? 32);
  const lastOf = (text: string) => /.$/su.exec(text)?.[0] ?? " ";

  return { escape, line, plain };
}
