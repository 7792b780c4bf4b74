import { GatewayError } from "../../contract/errors.ts";
import type { Call } from "../connector.ts";
import { baseUrlOf } from "./outgoing.ts";
import type { Reply, Upstream, UpstreamRequest } from "./upstream.ts";

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** A renamed record may itself lead to where its content lies. */
const mostRedirects = 2;

export const isRedirect = ({ status }: Pick<Reply, "status">): boolean => redirects.has(status);

/** The address to which a reply leads, as stated; GitHub writes it in the body as well. */
export function targetOf({ headers, body }: Reply): string {
  const { url } = (body ?? {}) as { url?: unknown };
  return headers.location ?? (typeof url === "string" ? url : "");
}

/** The upstream, whose redirects are answers. */
export const withRedirects = (upstream: Upstream): Upstream => ({
  ...upstream,
  judge: (reply) => (isRedirect(reply) ? { ok: true } : upstream.judge(reply)),
});

/** A GET of a record that may have another name by now: the upstream's redirects are followed at the same host. */
export async function getMoved(
  call: Pick<Call, "send">,
  upstream: Upstream,
  request: Omit<UpstreamRequest, "method">,
  thing: string,
): Promise<Reply> {
  let { path } = request;
  for (let redirected = 0; ; redirected += 1) {
    const reply = await call.send(withRedirects(upstream), { ...request, method: "GET", path });
    if (!isRedirect(reply)) return reply;
    const target = redirected < mostRedirects ? pathAt(upstream, path, targetOf(reply)) : undefined;
    if (target === undefined) throw new GatewayError("not_found", `There is no such ${thing}`);
    path = target;
  }
}

/** The path below the upstream's base URL; undefined for an address elsewhere. */
function pathAt(upstream: Upstream, from: string, stated: string): string | undefined {
  if (stated === "") return undefined;
  // A mirror may pass on the source's own addresses.
  for (const base of [baseUrlOf(upstream, process.env)?.url, URL.parse(upstream.baseUrl.default)]) {
    if (!base) continue;
    const prefix = base.pathname.replace(/\/$/, "");
    const target = URL.parse(stated, `${base.origin}${prefix}${from}`);
    if (target?.origin === base.origin && target.pathname.startsWith(`${prefix}/`))
      return target.pathname.slice(prefix.length);
  }
  return undefined;
}
