import * as z from "zod";
import { id } from "../../fields.ts";
import type { Source } from "../../source.ts";

/** Open social networks, in the order in which messages name them. */
export const networks = ["bluesky", "mastodon", "lemmy"] as const;
export type Network = (typeof networks)[number];

export const openSources: Readonly<Record<Network, Source>> = {
  bluesky: {
    name: "Bluesky",
    url: "https://bsky.app",
    licence: "terms of use",
    terms: "https://bsky.social/about/support/tos",
  },
  mastodon: {
    name: "Mastodon",
    url: "https://joinmastodon.org",
    licence: "terms of use of the instance",
    terms: "https://docs.joinmastodon.org/client/public/",
  },
  lemmy: {
    name: "Lemmy",
    url: "https://join-lemmy.org",
    licence: "terms of use of the instance",
    terms: "https://join-lemmy.org/docs/contributors/04-api.html",
  },
};

/** The network of a call; one without `what` is refused with those that have it. */
export function networkWith<const Names extends readonly Network[]>(what: string, names: Names) {
  const known: readonly string[] = networks;
  return z
    .enum(names, {
      error: ({ input }) =>
        typeof input === "string" && known.includes(input)
          ? `${input} has no public ${what}; use one of ${names.join(", ")}`
          : undefined,
    })
    .describe(`Network; those with public ${what}: ${names.join(", ")}`);
}

/** Endings of names that no public name server answers for (RFC 6761, RFC 6762, and common habits). */
const inside = "localhost|local|internal|intranet|lan|home|corp|private|test|invalid|onion|arpa";

/** The instance that a call reads from; what it resolves to is checked when it is dialled. */
export const instance = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(
    new RegExp(
      `^(?!.*\\.(${inside})$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+(xn--[a-z0-9-]{2,59}|[a-z]{2,63})$`,
    ),
    { message: "must be a public host name without scheme and path, such as mastodon.social" },
  )
  .optional()
  .describe(
    "Host name of the instance; mastodon.social and lemmy.world where it is absent. Bluesky has none",
  );

/** Refuses an instance where the network has none. */
export function checkInstance(
  { network, instance: given }: { network: Network; instance?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (network !== "bluesky" || given === undefined) return;
  context.addIssue({ code: "custom", path: ["instance"], message: "bluesky has no instances" });
}

/** Refuses what names a feed of another network, which would be answered with the public feed of this one. */
export function checkFeed(
  input: {
    network: Network;
    instance?: string | undefined;
    feed?: string | undefined;
    community?: string | undefined;
  },
  context: z.RefinementCtx,
): void {
  checkInstance(input, context);
  for (const [name, network] of [
    ["feed", "bluesky"],
    ["community", "lemmy"],
  ] as const) {
    if (input[name] === undefined || input.network === network) continue;
    context.addIssue({ code: "custom", path: [name], message: `goes with ${network} only` });
  }
}

export const username = z
  .string()
  .trim()
  .overwrite((given) => given.replace(/^@/, ""))
  .regex(/^@?[A-Za-z0-9_][A-Za-z0-9_.:-]{0,253}(@[A-Za-z0-9.-]{1,253})?$/, {
    message: "must be a name: `name.bsky.social`, `did:plc:…`, `name` or `name@host`",
  })
  .describe(
    "Name of the account: `name.bsky.social` or a DID at Bluesky, else `name` or `name@host`",
  );

/** The address of a page of Bluesky becomes that of the record. */
const recordAddress = (given: string) =>
  given
    .trim()
    .replace(
      /^https:\/\/bsky\.app\/profile\/([^/?#]+)\/post\/([^/?#]+)\/?(?:[?#].*)?$/,
      "at://$1/app.bsky.feed.post/$2",
    );

export const postId = id(
  /^(at:\/\/[A-Za-z0-9_.:-]{1,250}\/app\.bsky\.feed\.post\/[A-Za-z0-9_.~:-]{1,250}|c?[0-9]{1,20})$/,
  "Post",
  "the `id` of a record: an at:// address of a post at Bluesky (or that of its page), else a number of 1 to 20 digits, with `c` before it for a comment of Lemmy",
  recordAddress,
  { slashes: true },
);

const postForms: Readonly<Record<Network, RegExp>> = {
  bluesky: /^at:/,
  mastodon: /^[0-9]/,
  lemmy: /^[c0-9]/,
};

/** Refuses the instance of a network without instances, and the id of another network. */
export function checkPost(
  input: { network: Network; instance?: string | undefined; id: string },
  context: z.RefinementCtx,
): void {
  checkInstance(input, context);
  if (postForms[input.network].test(input.id)) return;
  context.addIssue({ code: "custom", path: ["id"], message: `is no id of ${input.network}` });
}
