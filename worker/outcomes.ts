import type { Redis, Result } from "ioredis";
import { outcomeVersion, hintLimitBytes } from "../runtime/queue.ts";
import { resultKey } from "../runtime/redis/keys.ts";
import { coalesce } from "../runtime/coalesce.ts";

/**
 * Stores outcomes, then publishes their hints, in one round trip. When two workers ran the same job, the
 * first outcome wins. Channels are no keys, since Redis routes them itself. Arguments: the largest
 * outcome that a hint carries, then for each outcome its job id, channel, life and bytes.
 */
const storeScript = `
local hints = {}
for i = 1, #KEYS do
  local at = 4 * i - 2
  local id, channel, outcome = ARGV[at], ARGV[at + 1], ARGV[at + 3]
  if redis.call('SET', KEYS[i], outcome, 'PX', ARGV[at + 2], 'NX') then
    if #outcome > tonumber(ARGV[1]) then outcome = '' end
    local list = hints[channel] or {}
    hints[channel] = list
    list[#list + 1] = id .. ' ' .. #outcome .. ' ${outcomeVersion}\\n' .. outcome
  end
end
for channel, list in pairs(hints) do redis.call('PUBLISH', channel, table.concat(list)) end`;

declare module "ioredis" {
  interface RedisCommander<Context> {
    storeOutcomes(
      keyCount: number,
      ...keysAndArguments: (string | number | Buffer)[]
    ): Result<null, Context>;
  }
}

export interface Outcome {
  jobId: string;
  /** Channel of the waiting API process. */
  channel: string;
  /** Milliseconds until it expires in Redis. */
  lifeMs: number;
  stored: Buffer;
}

/** Most bytes of one script, unless a single outcome is larger. */
const mostBytes = 1024 * 1024;
const mostOutcomes = 256;

/** Stores outcomes, batching those that arrive while a script is under way. Rejects with Redis's error. */
export function createOutcomeStore(redis: Redis): (outcome: Outcome) => Promise<void> {
  redis.defineCommand("storeOutcomes", { lua: storeScript });
  return coalesce({
    most: mostOutcomes,
    mostBytes,
    weigh: ({ stored }: Outcome) => stored.length,
    async run(outcomes) {
      await redis.storeOutcomes(
        outcomes.length,
        ...outcomes.map(({ jobId }) => resultKey(jobId)),
        hintLimitBytes,
        ...outcomes.flatMap(({ jobId, channel, lifeMs, stored }) => [
          jobId,
          channel,
          lifeMs,
          stored,
        ]),
      );
      return outcomes.map(() => undefined);
    },
  });
}
