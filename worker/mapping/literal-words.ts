import { invalid } from "../../contract/errors.ts";

/**
 * Words of the input's field `name` as Lucene's query language takes them literally: `<` and `>` cannot be escaped
 * there, and its operators are words in capitals. Throws GatewayError where nothing is left, because a search for
 * nothing finds everything, at its price.
 */
export function literalWords(words: string, name = "q"): string {
  const literal = words
    .replace(/[<>]/g, " ")
    .replace(/[-+=&|!(){}[\]^"~*?:\\/]/g, "\\$&")
    .replace(/(?<!\S)(?:AND|OR|NOT)(?!\S)/g, (operator) => operator.toLowerCase());
  if (literal.trim() === "")
    throw invalid("query", name, "invalid_value", `${name}: must contain words`);
  return literal;
}
