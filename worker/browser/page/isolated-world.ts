import { domTools } from "../dom.ts";
import { rightlyEncoded } from "./encoding.ts";
import type { DomTools } from "../dom.ts";
import type { TabFrame } from "../chromium/tab.ts";

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

const tools = [domTools, rightlyEncoded];
const sent = new WeakMap<object, string>();

/** Names of page functions in a world that has them. */
const names = new WeakMap<object, string>();
let named = 0;
/** The functions that each world of a session has, by context and name. */
const worlds = new WeakMap<object, Set<string>>();
/** Thrown in a world that lacks a function: Chromium gives the number of a context again in another process. */
const unknown = "unknown function";

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
 * Runs a function in an isolated world of a frame, for a tab of its main frame. That world shares the document but has
 * globals and prototypes of its own, so that what the page has redefined does not count. The functions of `makeParts`
 * run there too: they get the DOM tools, which read texts by their right encoding, and make the third argument.
 * `timeoutMs` bounds the whole call.
 */
export async function evaluate<
  Input,
  Output,
  Parts extends Record<string, unknown> = Record<never, never>,
>(
  tab: TabFrame,
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
    const call = (known: ReadonlySet<string>) =>
      tab.cdp.send(
        "Runtime.callFunctionOn",
        {
          executionContextId,
          functionDeclaration: callOf(executionContextId, known, read, makeParts),
          arguments: [{ value: input }, { value: tab.declaresEncoding }],
          returnByValue: true,
          awaitPromise: true,
        },
        { timeout: timeoutMs },
      );
    const known = worlds.get(tab.cdp) ?? new Set<string>();
    worlds.set(tab.cdp, known);
    let answer = await call(known);
    if (answer.exceptionDetails?.exception?.value === unknown) answer = await call(new Set());
    for (const one of [...tools, read, ...Object.values(makeParts)]) {
      known.add(`${executionContextId} ${nameOf(one)}`);
    }
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

/**
 * The source of a call of `read`: with the functions that the world of this context is not known to have, because a page
 * that is looked at several times is sent and compiles each of them once. Instances are new in every call. The world
 * keeps them by a symbol: a string would find an element of that name.
 */
function callOf(
  context: number,
  known: ReadonlySet<string>,
  read: (...args: never[]) => unknown,
  makeParts: Record<string, (dom: DomTools) => unknown>,
): string {
  const all = [...tools, read, ...Object.values(makeParts)];
  const [there, missing] = [true, false].map((isThere) =>
    all.filter((one) => known.has(`${context} ${nameOf(one)}`) === isThere),
  ) as [typeof all, typeof all];
  const lacks = there.map((one) => `!made.${nameOf(one)}`).join("||");
  const parts = Object.entries(makeParts).map(
    ([name, make]) => `${name}: made.${nameOf(make)}(dom)`,
  );
  return `function (input, isDeclared) { const made = globalThis[Symbol.for("gateway")] ??= Object.create(null);
${lacks && `if (${lacks}) throw "${unknown}";`}
${missing.map((one) => `made.${nameOf(one)} ??= (${sourceOf(one)});`).join("\n")}
const dom = made.${nameOf(rightlyEncoded)}(made.${nameOf(domTools)}(), isDeclared); return made.${nameOf(read)}(dom, input, { ${parts.join()} }); }`;
}

function nameOf(pageFunction: object): string {
  const name = names.get(pageFunction) ?? `f${(named += 1)}`;
  names.set(pageFunction, name);
  return name;
}
