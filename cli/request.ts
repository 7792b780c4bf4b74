import type { Command } from "commander";
import type { Redis } from "ioredis";
import { openRedis } from "../runtime/redis/connection.ts";
import { type Facts, isRequestId, readFacts } from "../dashboards/timeline/call-log.ts";
import { ms, type Timeline, time, timelineOf } from "../dashboards/timeline/timeline.ts";
import { addCommand } from "./arguments.ts";
import { type Output, type Print, fields, table } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { withDatabase } from "./system.ts";

/** A connection for one command: a Redis that does not answer soon counts as away. */
function connect(url: string): Redis {
  const redis = openRedis(url, {
    connectTimeout: 2000,
    commandTimeout: 2000,
    maxRetriesPerRequest: 1,
    retryStrategy: (times) => (times > 2 ? null : 100),
  });
  redis.on("error", () => undefined);
  return redis;
}

function text(timeline: Timeline): string {
  const width = Math.max(0, ...timeline.stages.map(({ name }) => name.length + 2));
  const parts = [timeline.headline, fields(Object.fromEntries(timeline.facts))];
  if (timeline.stages.length > 0) {
    const lines = timeline.stages.map(
      ({ name, ms: spent, inside }) =>
        `${`${inside ? "  " : ""}${name}`.padEnd(width)}  ${ms(spent).padStart(8)}`,
    );
    parts.push(lines.join("\n"));
  }
  if (timeline.tries.length > 0) {
    const rows = timeline.tries.map((one) => [
      one.upstream,
      one.status,
      ms(one.at),
      ms(one.waited),
      ms(one.took),
    ]);
    const more = timeline.moreTries > 0 ? `\nand ${timeline.moreTries} more` : "";
    parts.push(table(["upstream", "answer", "sent after", "waited", "took"], rows) + more);
  }
  if (timeline.others.length > 0) {
    const rows = timeline.others.map(({ id, fate, at, status }) => [id, fate, status, time(at)]);
    const more = timeline.moreOthers > 0 ? `\nand ${timeline.moreOthers} more` : "";
    parts.push(
      `The same answer went to:\n${table(["request", "how", "status", "came"], rows)}${more}`,
    );
  }
  parts.push(...timeline.notes);
  return parts.join("\n\n");
}

function output(facts: Facts): Output {
  const timeline = timelineOf(facts);
  return {
    json: { ...timeline, facts: Object.fromEntries(timeline.facts), known: facts },
    text: text(timeline),
  };
}

/** `gateway request` */
export function addRequest(program: Command, print: Print): void {
  addCommand(program, "request", "show the timeline of one call")
    .argument("<id>", "request id of the call, as in Svc-Request-Id")
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
          `The request ${id} is unknown: refusals are kept for an hour, calls for a week.`,
        );
      }
      print(output(facts));
    });
}
