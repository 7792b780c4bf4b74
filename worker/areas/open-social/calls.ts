import type { Network } from "../../../contract/areas/open-social/networks.ts";
import type { Call } from "../../connector.ts";
import type { Reply, UpstreamRequest } from "../../transport/upstream.ts";
import { bluesky, lemmy, mastodon } from "../../upstreams/open-social/client.ts";
import { at, id, need } from "#wire";

/** Requests to the networks. */

type Query = NonNullable<UpstreamRequest["query"]>;

const usual = { mastodon: "mastodon.social", lemmy: "lemmy.world" } as const;

/** The instance of a call. */
export const hostOf = (network: Exclude<Network, "bluesky">, instance: string | undefined) =>
  instance ?? usual[network];

/** A method of the AppView, by its name below `app.bsky`. */
export async function askBluesky(call: Call, method: string, query: Query): Promise<unknown> {
  const path = `/xrpc/app.bsky.${method}`;
  return (await call.send(bluesky, { method: "GET", path, query })).body;
}

export const askMastodon = (
  call: Call,
  host: string,
  path: string,
  query: Query = {},
): Promise<Reply> => call.send(mastodon(host), { method: "GET", path: `/api${path}`, query });

export async function askLemmy(
  call: Call,
  host: string,
  path: string,
  query: Query,
): Promise<unknown> {
  return (await call.send(lemmy(host), { method: "GET", path: `/api/v3${path}`, query })).body;
}

/** An account of Mastodon by its name. */
export async function mastodonAccount(
  call: Call,
  host: string,
  username: string,
): Promise<{ body: unknown; id: string }> {
  const acct = username.replace(new RegExp(`@${host.replaceAll(".", "\\.")}$`, "i"), "");
  const { body } = await askMastodon(call, host, "/v1/accounts/lookup", { acct });
  return { body, id: need(id(at(body, "id")), "account.id") };
}
