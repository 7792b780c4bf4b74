/** Words as Lucene's query language takes them literally; `<` and `>` cannot be escaped there. */
export function literalWords(words: string): string {
  return words.replace(/[<>]/g, " ").replace(/[-+=&|!(){}[\]^"~*?:\\/]/g, "\\$&");
}
