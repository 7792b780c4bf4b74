import { bigint, customType, text, timestamp } from "./drizzle.ts";

/** Columns that many tables have, and the values of text columns. */

export type Mode = "live" | "test";
export type Period = "day" | "week" | "month";
export type JobState = "queued" | "running" | "succeeded" | "failed" | "cancelled";

export const credits = (name: string) => bigint(name, { mode: "number" });
export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
export const mode = () => text("mode").$type<Mode>().notNull();
export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });
