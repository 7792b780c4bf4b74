import { nearNames } from "../contract/near-names.ts";
import { operations } from "../contract/index.ts";
import { pools } from "../contract/operation.ts";
import { shownUpstreams } from "./upstreams/read.ts";
import { escape, framed, note } from "./frame.ts";
import { mainPages } from "./navigation.ts";

/** Answers to addresses and names that do not exist, with those that may be meant. */

/** A page that others link to by another word. */
const otherWords: Readonly<Record<string, string>> = {
  alerts: "/runbooks",
  alert: "/runbooks",
  batches: "/work",
  jobs: "/work",
  audit: "/changes",
  log: "/changes",
  processes: "/workers",
  login: "/login",
};

/** Further pages that have an address of their own. */
const morePages = ["/canaries", "/metrics", "/pools"];

/** Addresses close to an unknown one: its first part corrected, and the rest where that part has pages below it. */
export function nearAddresses(path: string): string[] {
  const [typed = "", ...rest] = path.replace(/^\/+|\/+$/g, "").split("/");
  const first = typed.toLowerCase();
  if (first === "") return [];
  const names = [...mainPages.map(([address]) => address), ...morePages].map((one) => one.slice(1));
  const found = names.includes(first) ? [first] : nearNames(names, first);
  const other = otherWords[first];
  const near = [...(other === undefined ? [] : [other.slice(1)]), ...found];
  return near.flatMap((name) => {
    const [below] = rest;
    if (below === undefined || below === "") return name === "pools" ? [] : [`/${name}`];
    if (name === "pools") return nearPools(below);
    if (name === "upstreams") return nearUpstreams(below);
    return name === "accounts" ? [`/accounts/${below}`, "/accounts"] : [`/${name}`];
  });
}

export const nearPools = (name: string): string[] =>
  (pools.includes(name as never) ? [name] : nearNames(pools, name)).map((pool) => `/pools/${pool}`);

export const nearUpstreams = (name: string): string[] =>
  (shownUpstreams.includes(name) ? [name] : nearNames(shownUpstreams, name)).map(
    (one) => `/upstreams/${encodeURIComponent(one)}`,
  );

/** The page of an operation in its own pool, or pools of a similar name. */
export function nearPoolPages(pool: string, operation: string | undefined): string[] {
  const op = operations.get(operation ?? "");
  if (op) return [`/pools/${op.pool}/${op.id}`];
  const ids = [...operations.values()].filter((one) => one.pool === pool).map(({ id }) => id);
  if (operation === undefined || ids.length === 0) return nearPools(pool);
  return [`/pools/${pool}`, ...nearNames(ids, operation).map((id) => `/pools/${pool}/${id}`)];
}

/** A page that says what does not exist and leads to what may be meant. */
export function missingPage(title: string, problem: string, near: readonly string[]): string {
  const links = near.map((address) => `<a href="${escape(address)}">${escape(address)}</a>`);
  const perhaps = links.length === 0 ? "" : `<p>Near addresses: ${links.join(", ")}</p>`;
  return framed({ title, body: note(problem) + perhaps });
}
