/**
 * Words as Lucene's query language takes them literally: `<` and `>` cannot be escaped there, and its operators are
 * words in capitals.
 */
export function literalWords(words: string): string {
  return words
    .replace(/[<>]/g, " ")
    .replace(/[-+=&|!(){}[\]^"~*?:\\/]/g, "\\$&")
    .replace(/(?<!\S)(?:AND|OR|NOT)(?!\S)/g, (operator) => operator.toLowerCase());
}
