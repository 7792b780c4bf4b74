import type { Command } from "commander";
import * as ioredis from "ioredis";
import type { Redis } from "ioredis";
import { openRedis } from "../contract/connection.ts";
import { type Facts, isRequestId, readFacts } from "../dashboards/story/facts.ts";
import { ms, type Tale, tell, time } from "../dashboards/story/tell.ts";
import { addCommand } from "./arguments.ts";
import { type Output, type Print, fields, table } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { withDatabase } from "./system.ts";

/** For one question: what does not answer soon is told as away. */
function connect(url: string): Redis {
  const redis = openRedis(ioredis, url, {
    connectTimeout: 2000,
    commandTimeout: 2000,
    maxRetriesPerRequest: 1,
    retryStrategy: (times) => (times > 2 ? null : 100),
  });
  redis.on("error", () => undefined);
  return redis;
}

function text(tale: Tale): string {
  const width = Math.max(0, ...tale.stages.map(({ name }) => name.length + 2));
  const parts = [tale.headline, fields(Object.fromEntries(tale.facts))];
  if (tale.stages.length > 0) {
    const lines = tale.stages.map(
      ({ name, ms: spent, inside }) =>
        `${`${inside ? "  " : ""}${name}`.padEnd(width)}  ${ms(spent).padStart(8)}`,
    );
    parts.push(lines.join("\n"));
  }
  if (tale.tries.length > 0) {
    const rows = tale.tries.map((one) => [
      one.upstream,
      one.status,
      ms(one.at),
      ms(one.waited),
      ms(one.took),
    ]);
    const more = tale.moreTries > 0 ? `\nand ${tale.moreTries} more` : "";
    parts.push(table(["upstream", "answer", "sent after", "waited", "took"], rows) + more);
  }
  if (tale.others.length > 0) {
    const rows = tale.others.map(({ id, fate, at, status }) => [id, fate, status, time(at)]);
    const more = tale.moreOthers > 0 ? `\nand ${tale.moreOthers} more` : "";
    parts.push(
      `The same answer went to:\n${table(["request", "how", "status", "came"], rows)}${more}`,
    );
  }
  parts.push(...tale.notes);
  return parts.join("\n\n");
}

function output(facts: Facts): Output {
  const tale = tell(facts);
  return {
    json: { ...tale, facts: Object.fromEntries(tale.facts), known: facts },
    text: text(tale),
  };
}

/** `gateway request` */
export function addRequest(program: Command, print: Print): void {
  addCommand(program, "request", "the story of one call")
    .argument("<id>", "its request id, as in Svc-Request-Id")
    .action(async (id: string) => {
      if (!isRequestId(id)) throw new CliProblem("usage", "<id> is not a request id (svc_…).");
      const facts = await withDatabase(async (db, system) => {
        const redis = system.redisUrl === undefined ? undefined : connect(system.redisUrl);
        try {
          return await readFacts({ db, redis }, id);
        } finally {
          redis?.disconnect();
        }
      });
      if (!facts) {
        throw new CliProblem(
          "request_unknown",
          `Nothing is known of ${id}: refusals are kept for an hour, calls for a week.`,
        );
      }
      print(output(facts));
    });
}
