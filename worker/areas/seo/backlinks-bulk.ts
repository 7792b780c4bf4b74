import type { seo } from "../../../contract/areas/seo/index.ts";
import { type BulkOptions, bulk } from "../../mapping/bulk.ts";
import type { Call, Connector } from "../../connector.ts";
import { type Task, ask, itemsOf } from "../../upstreams/dataforseo/client.ts";
import { type Wire, count, integer, need, rows, text } from "#wire";
import { linkProfile } from "./backlinks.map.ts";
import { byHost, sameTarget, upstreamTarget } from "./target.ts";

const mostTargets = 1000;
/** Most hosts of one call for page summaries. */
const mostHosts = 100;

/** Figures about many targets: `read` maps a row without its target, `key` is the row's member with the target. */
export async function perTarget<Figures extends object>(
  call: Call,
  targets: readonly string[],
  options: {
    path: string;
    task?: Task;
    key?: "target" | "url";
    plan?: BulkOptions<never>["plan"];
    read: (row: Wire) => Figures;
  },
) {
  const { key = "target", read, plan } = options;
  const found = await bulk<{ target: string } & Figures>(call, {
    inputs: targets,
    most: mostTargets,
    same: sameTarget,
    key: (row) => row.target,
    name: (row, target) => ({ ...row, target }),
    ask: async (piece) => {
      const task = { targets: piece.map(upstreamTarget), ...options.task };
      const items = itemsOf(await ask(call, options.path, task));
      return rows(items, "items", (row) => ({
        ...read(row),
        target: need(text(row[key]), `items[].${key}`),
      }));
    },
    plan,
  });
  return {
    data: {
      results: found.results,
      missing_targets: found.missing.length > 0 ? found.missing : undefined,
      unprocessed_targets: found.unprocessed.length > 0 ? found.unprocessed : undefined,
    },
    truncated: found.truncated,
  };
}

const at = (name: string) => `/v3/backlinks/${name}/live`;

export default {
  "seo.backlinks.bulk_ranks": (input, call) =>
    perTarget(call, input.targets, {
      path: at("bulk_ranks"),
      task: { rank_scale: input.rank_scale },
      read: (row) => ({ rank: integer(row.rank) }),
    }),

  "seo.backlinks.bulk_backlinks": (input, call) =>
    perTarget(call, input.targets, {
      path: at("bulk_backlinks"),
      read: (row) => ({ backlinks: count(row.backlinks) }),
    }),

  "seo.backlinks.bulk_spam_score": (input, call) =>
    perTarget(call, input.targets, {
      path: at("bulk_spam_score"),
      read: (row) => ({ spam_score: integer(row.spam_score) }),
    }),

  "seo.backlinks.bulk_referring_domains": (input, call) =>
    perTarget(call, input.targets, {
      path: at("bulk_referring_domains"),
      read: (row) => ({
        referring_domains: count(row.referring_domains),
        referring_domains_nofollow: count(row.referring_domains_nofollow),
        referring_main_domains: count(row.referring_main_domains),
        referring_main_domains_nofollow: count(row.referring_main_domains_nofollow),
      }),
    }),

  "seo.backlinks.bulk_new_lost_backlinks": (input, call) =>
    perTarget(call, input.targets, {
      path: at("bulk_new_lost_backlinks"),
      task: { date_from: input.date_from },
      read: (row) => ({
        new_backlinks: count(row.new_backlinks),
        lost_backlinks: count(row.lost_backlinks),
      }),
    }),

  "seo.backlinks.bulk_new_lost_referring_domains": (input, call) =>
    perTarget(call, input.targets, {
      path: at("bulk_new_lost_referring_domains"),
      task: { date_from: input.date_from },
      read: (row) => ({
        new_referring_domains: count(row.new_referring_domains),
        lost_referring_domains: count(row.lost_referring_domains),
        new_referring_main_domains: count(row.new_referring_main_domains),
        lost_referring_main_domains: count(row.lost_referring_main_domains),
      }),
    }),

  "seo.backlinks.bulk_pages_summary": async (input, call) => {
    const { view } = input;
    const { data, truncated } = await perTarget(call, input.targets, {
      path: at("bulk_pages_summary"),
      task: { include_subdomains: input.include_subdomains, rank_scale: input.rank_scale },
      key: "url",
      plan: (targets) => byHost(targets, mostTargets, mostHosts),
      read: (row) => ({
        url: need(text(row.url), "items[].url"),
        main_domain_rank: integer(row.main_domain_rank),
        ...linkProfile(row, view),
      }),
    });
    return { data: { view, ...data }, truncated };
  },
} satisfies Partial<Connector<typeof seo>>;
