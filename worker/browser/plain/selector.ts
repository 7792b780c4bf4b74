import { compile, type Options } from "css-select";
import { parse, type Selector } from "css-what";
import type { DefaultTreeAdapterTypes as Tree } from "parse5";

/**
 * The selectors that both ways of reading a page know, with and without a browser: a caller is refused the same ones.
 * Chromium knows more, such as pseudo-elements; `css-select` knows more as well, such as `:contains` and `[a!=b]`.
 */

type PseudoClasses = NonNullable<Options<Tree.Node, Tree.Element>["pseudos"]>;
const never = () => false;

/** Without a browser nothing is pointed at, nor has an element been defined by a script. */
export const pseudoClasses: PseudoClasses = {
  focus: never,
  "focus-within": never,
  "focus-visible": never,
  fullscreen: never,
  target: never,
  defined: ({ tagName }) => !tagName.includes("-"),
  // Only white space is something too.
  empty: ({ childNodes }) =>
    childNodes.every((node) => !("tagName" in node) && !("value" in node && node.value !== "")),
};

const classes = new Set(
  `any-link link visited hover active disabled enabled checked required optional read-only read-write root scope
  first-child last-child only-child first-of-type last-of-type only-of-type ${Object.keys(pseudoClasses).join(" ")}`.split(
    /\s+/,
  ),
);
const functions = new Set(
  "not is where has lang nth-child nth-last-child nth-of-type nth-last-of-type".split(" "),
);

/** Whether a text is a CSS selector that both ways know. */
export function isSelector(text: string): boolean {
  try {
    compile<Tree.Node, Tree.Element>(text, { pseudos: pseudoClasses });
    return text.trim() !== "" && hasNames(text) && parse(text).every((one) => isKnown(one, false));
  } catch {
    return false;
  }
}

function isKnown(tokens: readonly Selector[], isRelative: boolean): boolean {
  return tokens.every((token, index) => {
    switch (token.type) {
      case "attribute":
        return token.action !== "not";
      case "pseudo":
        return Array.isArray(token.data)
          ? functions.has(token.name) &&
              token.data.every((one) => isKnown(one, token.name === "has"))
          : (token.data === null ? classes : functions).has(token.name);
      case "child":
      case "adjacent":
      case "sibling":
      case "descendant":
        return (index > 0 || isRelative) && index < tokens.length - 1;
      default:
        return token.type === "tag" || token.type === "universal";
    }
  });
}

/** Whether names, and values without quotes, are identifiers: `css-what` takes others too. */
function hasNames(text: string): boolean {
  const plain = text.replace(/\\[^]/g, "x").replace(/"[^"]*"|'[^']*'/g, '""');
  const values = [...plain.matchAll(/=\s*([^\s\]"]+)/g)].map(([, value]) => value as string);
  return (
    values.every((value) =>
      /^(?:--|-?[^\0-,./:-@[-^`{-\x7f\d-])[^\0-,./:-@[-^`{-\x7f]*$/.test(value),
    ) && !/[.#]-?\d/.test(plain)
  );
}
