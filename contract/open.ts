import * as z from "zod";
import { endpoint } from "./endpoint.ts";

/** Endpoints without a key. They say nothing that a stranger should not know. */

/** Query of `/openapi.json`. */
export const documentInput = (areas: readonly string[]) =>
  z.strictObject({ area: z.enum(areas).optional().describe("Only the operations of this area") });

const liveData = z.object({ status: z.literal("live") });

const readyData = z.object({
  status: z.enum(["ready", "draining", "not ready"]),
  database: z.boolean(),
  redis: z.boolean(),
  workers: z.record(z.string(), z.int()).describe("Worker processes by pool"),
  clock_skew_seconds: z
    .number()
    .describe("How far the clock of this process is ahead of the clock of Redis"),
  version: z.string().describe("Version of the gateway that this process runs"),
  commit: z.string().optional().describe("Its git commit, where it is known"),
  since: z.iso.datetime().describe("Start of this process"),
  warning: z
    .string()
    .optional()
    .describe(
      "Set when the clock of this process is more than 5 s off, or a full Redis may drop queued calls; calls still work",
    ),
});

const etag = "Changes when the answer changes; send it as `If-None-Match`";

export const openEndpoints = [
  endpoint({
    id: "gateway.openapi",
    method: "GET",
    path: "/openapi.json",
    summary: "This document",
    answerHeaders: { ETag: etag },
    data: z.unknown().meta({ type: "object" }),
    bare: "application/json",
    open: true,
  }),
  endpoint({
    id: "gateway.docs",
    method: "GET",
    path: "/docs",
    summary:
      "Pages to read: a start, each area, each operation; /docs/try to try it, /llms.txt for programs",
    data: z.string(),
    answerHeaders: { ETag: etag },
    bare: "text/html",
    open: true,
  }),
  endpoint({
    id: "gateway.health.live",
    method: "GET",
    path: "/health/live",
    summary: "The process runs",
    data: liveData,
    bare: "application/json",
    open: true,
  }),
  endpoint({
    id: "gateway.health.ready",
    method: "GET",
    path: "/health/ready",
    summary: "The gateway takes calls",
    data: readyData,
    others: { 503: { description: "It does not", data: readyData } },
    bare: "application/json",
    open: true,
  }),
] as const;
