import robotsModule from "robots-parser";
import { comparable } from "./crawl/address.ts";
import { addressIn } from "./values.map.ts";

// The package's types describe an ES module, and its code is CommonJS that exports the function itself.
const robotsParser = robotsModule as unknown as typeof robotsModule.default;

/**
 * A robots.txt as its parser expects it, with the same lines. The name of an agent ends at a space, as for Google's
 * parser, because RFC 9309 has no spaces in it; a colon that was forgotten is there; and paths have one form of octets.
 */
export function tidyRobots(text: string): string {
  return text.replace(/[^\r\n]+/g, (line) => {
    const found = /^\s*(user-agent|allow|disallow)(\s*:\s*|\s+)([^\s#:][^#]*)/i.exec(line);
    if (!found) return line;
    const [, name = "", divider = "", value = ""] = found;
    const [first = ""] = value.split(/\s/, 1);
    if (/^user-agent$/i.test(name)) return `${name}: ${first}`;
    return `${name}: ${comparable(divider.includes(":") ? value.trim() : first)}`;
  });
}

/** The rules of a robots.txt. */
export class RobotsRules {
  readonly #address: string;
  readonly #rules: ReturnType<typeof robotsParser>;

  constructor(address: string, text: string) {
    this.#address = address;
    this.#rules = robotsParser(address, tidyRobots(text));
  }

  isAllowed(url: string, agent: string): boolean {
    return this.#rules.isAllowed(asked(url), agent) ?? true;
  }

  /** Line of the rule that decides, from 1. */
  lineFor(url: string, agent: string): number | undefined {
    const line = this.#rules.getMatchingLineNumber(asked(url), agent);
    return line > 0 ? line : undefined;
  }

  delayFor(agent: string): number | undefined {
    return this.#rules.getCrawlDelay(agent);
  }

  /** The first ones of the web, absolute. */
  sitemaps(most: number): string[] {
    const stated = this.#rules.getSitemaps().slice(0, most);
    return stated.flatMap((address) => addressIn(address, this.#address) ?? []);
  }
}

/** The address in the form that rules have. The parser writes more characters of a rule as octets than addresses do. */
function asked(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return origin + encodeURI(comparable(pathname + search)).replaceAll("%25", "%");
}
