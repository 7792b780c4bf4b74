import type { CodeHost } from "../../../contract/areas/code/hosts.ts";
import type { Call } from "../../connector.ts";
import { escapedPath } from "../../mapping/path.map.ts";
import { getMoved } from "../../transport/moved.ts";
import type { Reply, Upstream, UpstreamRequest } from "../../transport/upstream.ts";
import { codeberg, github, gitlab } from "../../upstreams/code-hosts/client.ts";

/** Requests to the hosts. */

export type Query = NonNullable<UpstreamRequest["query"]>;
/** The place of a repository, user or organization below the host's base URL. */
export type At = readonly [upstream: Upstream, path: string];

const part = encodeURIComponent;

export const upstreamOf: Readonly<Record<CodeHost, Upstream>> = { github, gitlab, codeberg };

/** The path of a repository, and of what is below it; GitLab takes the whole name as one part. */
export const repositoryAt = (
  { host, repository }: { host: CodeHost; repository: string },
  below = "",
): At => [
  upstreamOf[host],
  host === "gitlab"
    ? `/projects/${part(repository)}${below}`
    : `/repos/${escapedPath(repository)}${below}`,
];

/** One GET; a repository or an account that was renamed is followed. */
export const getReply = (call: Call, [upstream, path]: At, query: Query = {}): Promise<Reply> =>
  getMoved(call, upstream, { path, query }, "repository");

export async function get(call: Call, where: At, query: Query = {}): Promise<unknown> {
  return (await getReply(call, where, query)).body;
}
