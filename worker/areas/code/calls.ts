import type { CodeHost } from "../../../contract/areas/code/hosts.ts";
import type { Call } from "../../connector.ts";
import type { Upstream, UpstreamRequest } from "../../transport/upstream.ts";
import { codeberg, github, gitlab } from "../../upstreams/code-hosts/client.ts";
import { at, found, text } from "#wire";

/** Requests to the hosts. */

export type Query = NonNullable<UpstreamRequest["query"]>;
/** The place of a repository, user or organization below the host's base URL. */
export type At = readonly [upstream: Upstream, path: string];

const part = encodeURIComponent;
export const parts = (path: string): string => path.split("/").map(part).join("/");

export const upstreamOf: Readonly<Record<CodeHost, Upstream>> = { github, gitlab, codeberg };

/** The path of a repository, and of what is below it; GitLab takes the whole name as one part. */
export const repositoryAt = (
  { host, repository }: { host: CodeHost; repository: string },
  below = "",
): At => [
  upstreamOf[host],
  host === "gitlab"
    ? `/projects/${part(repository)}${below}`
    : `/repos/${parts(repository)}${below}`,
];

/** Paths of base URLs, which the address of a moved repository contains. */
const basePath = /^\/api\/v[14](?=\/)/;

/** One GET. A renamed repository or account is followed to its new path, at the same host, once. */
export async function get(call: Call, [upstream, path]: At, query: Query = {}): Promise<unknown> {
  const request = { method: "GET", query } as const;
  const reply = await call.send(upstream, { ...request, path });
  if (reply.status < 300) return reply.body;
  const target = text(reply.headers.location) ?? text(at(reply.body, "url"));
  const moved = URL.parse(target ?? "", upstream.baseUrl.default)?.pathname.replace(basePath, "");
  const again = await call.send(upstream, { ...request, path: found(moved, "repository") });
  return found(again.status < 300 ? again.body : undefined, "repository");
}
