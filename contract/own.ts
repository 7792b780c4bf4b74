import * as z from "zod";

/** Answers of the gateway's own endpoints, inside the success envelope. */

export const accountData = z
  .object({
    account: z.string().describe("Name of the account"),
    mode: z.enum(["live", "test"]),
    key_id: z.string().describe("Public part of the key"),
    balance: z.int().min(0).describe("Credits available in this mode"),
    limits: z.object({
      requests_per_second: z.int().min(1),
      requests_in_flight: z.int().min(1),
    }),
  })
  .meta({ id: "Account" });

export const catalogueData = z.array(
  z
    .object({
      id: z.string(),
      area: z.string(),
      method: z.enum(["GET", "POST"]),
      path: z.string(),
      summary: z.string(),
      paginated: z.boolean(),
      credits_per_record: z.int(),
      minimum_credits: z.int(),
    })
    .meta({ id: "CatalogueEntry" }),
);

export const liveData = z.object({ status: z.literal("live") });

export const readyData = z.object({
  status: z.enum(["ready", "draining", "not ready"]),
  database: z.boolean(),
  redis: z.boolean(),
  workers: z.record(z.string(), z.int()).describe("Worker processes by pool"),
});
