const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  ndash: "–",
  mdash: "—",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  hellip: "…",
};

/** Text of a piece of HTML: line breaks kept, pictures by their `alt`, links by their text. */
export function plain(html: string): string {
  return unescaped(
    html
      .replace(/<br\b[^<>]*>/gi, "\n")
      .replace(/<img\b[^<>]*>/gi, (tag) => /\balt="?([^"\s>]*)/i.exec(tag)?.[1] ?? "")
      .replace(/<\/?[a-z][^<>]*>/gi, ""),
  ).trim();
}

function unescaped(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi,
    (whole, ten, hex, name) => {
      if (name !== undefined) return named[String(name).toLowerCase()] ?? whole;
      const code = ten === undefined ? Number.parseInt(String(hex), 16) : Number(ten);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
