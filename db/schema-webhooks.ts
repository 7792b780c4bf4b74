import { integer, jsonb, pgTable, text } from "./drizzle.ts";
import { bytea, credits, mode, moment } from "./columns.ts";

/** The tables of webhooks, as `migrations/` creates them, without their constraints. */

export const webhookEndpoints = pgTable("webhook_endpoints", {
  id: text("id").primaryKey(),
  accountId: credits("account_id").notNull(),
  mode: mode(),
  url: text("url"),
  description: text("description").notNull().default(""),
  events: text("events").array().notNull().default([]),
  secret: bytea("secret").notNull(),
  formerSecret: bytea("former_secret"),
  formerUntil: moment("former_until"),
  dropped: credits("dropped").notNull().default(0),
  failingSince: moment("failing_since"),
  offSince: moment("off_since"),
  offReason: text("off_reason").$type<"owner" | "failing" | "gone">(),
  createdAt: moment("created_at").notNull().defaultNow(),
});

export const webhookEvents = pgTable("webhook_events", {
  id: text("id").primaryKey(),
  accountId: credits("account_id").notNull(),
  mode: mode(),
  type: text("type").notNull(),
  body: text("body").notNull(),
  createdAt: moment("created_at").notNull().defaultNow(),
});

export const webhookDeliveries = pgTable("webhook_deliveries", {
  id: text("id").primaryKey(),
  eventId: text("event_id").notNull(),
  endpointId: text("endpoint_id").notNull(),
  accountId: credits("account_id").notNull(),
  mode: mode(),
  url: text("url"),
  lane: text("lane").notNull(),
  state: text("state").$type<"pending" | "sending" | "delivered" | "failed">().notNull(),
  attempts: integer("attempts").notNull().default(0),
  dueAt: moment("due_at").notNull(),
  expiresAt: moment("expires_at").notNull(),
  leasedUntil: moment("leased_until"),
  answers: jsonb("answers").notNull(),
  createdAt: moment("created_at").notNull().defaultNow(),
  endedAt: moment("ended_at"),
});

export const webhookAddresses = pgTable("webhook_addresses", {
  subject: text("subject").primaryKey(),
  accountId: credits("account_id").notNull(),
  mode: mode(),
  url: text("url").notNull(),
  createdAt: moment("created_at").notNull().defaultNow(),
});
