import * as z from "zod";
import { type Pool, pools } from "../../contract/operation.ts";
import type { PoolSettings } from "./decide.ts";

/** Slots of a worker at its start, as in worker/config.ts. */
const defaultSlots: Record<Pool, number> = {
  browser: 20,
  seo: 32,
  "seo-bulk": 4,
  serp: 32,
  social: 32,
};

/** A single call may wait half a second for its slot, a bulk call half a minute. */
const defaultTargetMs: Record<Pool, number> = {
  browser: 500,
  seo: 500,
  "seo-bulk": 30_000,
  serp: 500,
  social: 500,
};
const defaultFloor = 1;
const defaultCeiling = 20;

const isPool = (name: string): name is Pool => (pools as readonly string[]).includes(name);

const form = "`pool=number`, comma-separated; `all` stands for every other pool.";

/** Parses `pool=number,pool=number`; `all` stands for every pool that is not named. */
function perPool(least: number, most: number) {
  return z
    .string()
    .regex(/[^\s,]/, form)
    .default("")
    .transform((text, context) => {
      const given = new Map<string, number>();
      for (const part of text.split(",").filter((one) => one.trim() !== "")) {
        const [name = "", value = ""] = part.split("=").map((one) => one.trim());
        const number = Number(value);
        if (!(isPool(name) || name === "all") || !/^\d+$/.test(value)) {
          context.addIssue({
            code: "custom",
            message: `"${part}" is not of the form pool=number (${pools.join(", ")} or all)`,
          });
        } else if (given.has(name)) {
          context.addIssue({ code: "custom", message: `${name} is there twice` });
        } else if (number < least || number > most) {
          context.addIssue({ code: "custom", message: `${name} is not from ${least} to ${most}` });
        }
        given.set(name, number);
      }
      return (pool: Pool): number | undefined => given.get(pool) ?? given.get("all");
    });
}

export const capacityVariables = {
  CAPACITY_TARGETS: perPool(1, 3_600_000).meta({
    description: `Milliseconds within which 95 of 100 calls of a pool should get their slot: ${form}`,
    absent: `\`all=${defaultTargetMs.seo},seo-bulk=${defaultTargetMs["seo-bulk"]}\``,
  }),
  CAPACITY_FLOORS: perPool(0, 10_000).meta({
    description: `Fewest workers of a pool that \`/capacity\` recommends: ${form}`,
    absent: `\`all=${defaultFloor}\``,
  }),
  CAPACITY_CEILINGS: perPool(1, 10_000).meta({
    description: `Most workers of a pool that \`/capacity\` recommends: ${form}`,
    absent: `\`all=${defaultCeiling}\``,
  }),
};

type Given = Record<keyof typeof capacityVariables, (pool: Pool) => number | undefined>;

/** The first pool whose floor is above the ceiling that is given for it. */
export const aboveCeiling = (given: Given): Pool | undefined =>
  pools.find((pool) => {
    const ceiling = given.CAPACITY_CEILINGS(pool) ?? Infinity;
    return (given.CAPACITY_FLOORS(pool) ?? 0) > ceiling;
  });

/** A floor above the default ceiling raises the ceiling. */
export function capacitySettings(given: Given): Record<Pool, PoolSettings> {
  const of = (pool: Pool): PoolSettings => {
    const floor = given.CAPACITY_FLOORS(pool) ?? defaultFloor;
    return {
      targetMs: given.CAPACITY_TARGETS(pool) ?? defaultTargetMs[pool],
      floor,
      ceiling: Math.max(floor, given.CAPACITY_CEILINGS(pool) ?? defaultCeiling),
      defaultSlots: defaultSlots[pool],
    };
  };
  return Object.fromEntries(pools.map((pool) => [pool, of(pool)])) as Record<Pool, PoolSettings>;
}

export const defaultSettings = (): Record<Pool, PoolSettings> =>
  capacitySettings({
    CAPACITY_TARGETS: () => undefined,
    CAPACITY_FLOORS: () => undefined,
    CAPACITY_CEILINGS: () => undefined,
  });
