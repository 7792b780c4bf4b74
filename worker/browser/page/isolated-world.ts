import { domTools } from "../dom.ts";
import type { DomTools } from "../dom.ts";
import type { Tab } from "../chromium/tab.ts";

/** The document was gone before it was read, because the page navigated. */
export class DocumentGone extends Error {
  constructor(cause: unknown) {
    super("the document was replaced", { cause });
    this.name = "DocumentGone";
  }
}

/** A function that runs in the page: it must not use anything of its module. */
type PageFunction<Input, Output, Parts> = (
  dom: DomTools,
  input: Input,
  parts: Parts,
) => Output | Promise<Output>;

const sent = new WeakMap<object, string>();

/**
 * The source of a page function as every job sends it: without comments and indentation, and in ASCII, because one
 * character beyond Latin-1 doubles the size in Chromium. No page function may hold a string of several lines.
 */
export function sourceOf(pageFunction: (...args: never[]) => unknown): string {
  const known = sent.get(pageFunction);
  if (known !== undefined) return known;
  const source = String(pageFunction)
    .replace(/^\s*\/\*[^]*?\*\/$/gm, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/^\s+/gm, "")
    .replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  sent.set(pageFunction, source);
  return source;
}

/**
 * Runs a function in an isolated world of a frame, for a tab of its main frame. That world shares the document but has globals and
 * prototypes of its own, so that what the page has redefined does not count. The functions of `makeParts` run there
 * too: they get the DOM tools and make the third argument. `timeoutMs` bounds the whole call.
 */
export async function evaluate<
  Input,
  Output,
  Parts extends Record<string, unknown> = Record<never, never>,
>(
  tab: Pick<Tab, "cdp" | "frameId">,
  read: PageFunction<Input, Output, Parts>,
  input: Input,
  timeoutMs: number,
  makeParts: { [Name in keyof Parts]: (dom: DomTools) => Parts[Name] } = {} as never,
): Promise<Output> {
  try {
    const { executionContextId } = await tab.cdp.send(
      "Page.createIsolatedWorld",
      { frameId: tab.frameId, worldName: "gateway" },
      { timeout: timeoutMs },
    );
    const made = Object.entries(makeParts).map(
      ([name, make]) => `${name}: (${sourceOf(make)})(dom)`,
    );
    const answer = await tab.cdp.send(
      "Runtime.callFunctionOn",
      {
        executionContextId,
        functionDeclaration: `function (input) { const dom = (${sourceOf(domTools)})(); return (${sourceOf(read)})(dom, input, { ${made.join()} }); }`,
        arguments: [{ value: input }],
        returnByValue: true,
        awaitPromise: true,
      },
      { timeout: timeoutMs },
    );
    if (answer.exceptionDetails) {
      const { exception, text } = answer.exceptionDetails;
      throw new Error(`in the page: ${exception?.description ?? text}`);
    }
    return answer.result.value as Output;
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    if (/context was destroyed|Cannot find context|No frame|navigated or closed/i.test(message)) {
      throw new DocumentGone(error);
    }
    throw error;
  }
}
