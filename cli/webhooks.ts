import { InvalidArgumentError } from "commander";
import type { Command } from "commander";
import { createSealer, newSecret } from "../api/webhooks/signing.ts";
import { deliveryView, endpointView } from "../api/webhooks/endpoint-view.ts";
import { noteChange } from "../db/changes.ts";
import type { Database } from "../db/client.ts";
import type { Mode } from "../db/schema.ts";
import {
  changeWebhookEndpoint,
  rotateWebhookSecret,
  webhookEndpoints,
  webhookOwner,
} from "../db/webhook-endpoints.ts";
import { type LoggedDelivery, replayWebhook, webhookLog } from "../db/webhook-log.ts";
import { findAccount } from "./accounts.ts";
import { addCommand, hours, requiredAccount, wholeNumber } from "./arguments.ts";
import { fields, moment, table } from "./output.ts";
import type { Output, Print } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { actor, pepperOf, withDatabase } from "./system.ts";
import type { Owner } from "../db/owner.ts";

const modes: Mode[] = ["live", "test"];
const hourMs = 3600_000;
const defaultOverlapHours = 24;

function idOf(prefix: string): (text: string) => string {
  return (text) => {
    if (new RegExp(`^${prefix}_[0-9a-f]{32}$`).test(text)) return text;
    throw new InvalidArgumentError(`It must be ${prefix}_ and 32 hexadecimal digits.`);
  };
}

async function ownerOf(db: Database, endpoint: string): Promise<Owner> {
  const owner = await webhookOwner(db, endpoint);
  if (!owner) throw unknownEndpoint(endpoint);
  return owner;
}

const note = (db: Database, { accountId }: Owner, target: string, after: Record<string, unknown>) =>
  noteChange(db, actor(), { kind: "webhook", target, accountId, after });

const unknownEndpoint = (id: string) =>
  new CliProblem("endpoint_unknown", `There is no webhook endpoint with the id ${id}.`);

async function list(db: Database, options: { account: string }): Promise<Output> {
  const account = await findAccount(db, options.account);
  const endpoints = [];
  for (const mode of modes) {
    const found = await webhookEndpoints(db, { accountId: account.id, mode });
    // The id that the other commands accept; callers see `direct` in its place.
    endpoints.push(...found.map((one) => ({ mode, ...endpointView(one), id: one.id })));
  }
  const rows = endpoints.map((one) => [
    one.id,
    one.mode,
    one.off ? `off: ${one.off.reason}` : one.failing_since ? "failing" : "on",
    one.pending,
    one.dropped_events,
    one.url ?? "(addresses of single jobs and batches)",
    one.events.join(" "),
  ]);
  return {
    json: { account: account.name, endpoints },
    text:
      rows.length === 0
        ? `${account.name} has no webhook endpoints.`
        : table(["id", "mode", "state", "pending", "dropped", "url", "events"], rows),
  };
}

function lastOf(delivery: LoggedDelivery): string {
  const last = delivery.answers.at(-1) as { status?: number; fault?: string } | undefined;
  return String(last?.status ?? last?.fault ?? "-");
}

async function deliveries(
  db: Database,
  endpoint: string,
  options: { state?: LoggedDelivery["state"]; limit: number },
): Promise<Output> {
  const found = await webhookLog(db, await ownerOf(db, endpoint), { endpoint, ...options });
  const rows = found.map((one) => [
    one.id,
    one.eventType,
    one.state,
    one.attempts,
    lastOf(one),
    moment(one.createdAt),
    moment(one.dueAt),
  ]);
  return {
    json: { endpoint, deliveries: found.map(deliveryView) },
    text:
      rows.length === 0
        ? "There are no such deliveries in the log."
        : table(["id", "event", "state", "attempts", "last answer", "created", "next"], rows),
  };
}

async function replay(db: Database, endpoint: string, delivery: string): Promise<Output> {
  const owner = await ownerOf(db, endpoint);
  if (!(await replayWebhook(db, owner, { endpoint, delivery }))) {
    const message = `The log of ${endpoint} has no ${delivery}, or the endpoint is switched off.`;
    throw new CliProblem("delivery_unknown", message);
  }
  await note(db, owner, endpoint, { delivery, effect: "sent again" });
  return { json: { endpoint, delivery, replayed: true }, text: `${delivery} will be sent again.` };
}

async function switched(db: Database, endpoint: string, enabled: boolean): Promise<Output> {
  const owner = await ownerOf(db, endpoint);
  if (!(await changeWebhookEndpoint(db, owner, endpoint, { enabled })))
    throw unknownEndpoint(endpoint);
  await note(db, owner, endpoint, { enabled });
  const text = `${endpoint} is switched ${enabled ? "on" : "off"}.`;
  return { json: { endpoint, enabled }, text };
}

async function rotate(
  db: Database,
  pepper: string,
  endpoint: string,
  overlapHours: number,
): Promise<Output> {
  const owner = await ownerOf(db, endpoint);
  const secret = newSecret();
  const sealed = createSealer(pepper).seal(secret, endpoint);
  if (
    !(await rotateWebhookSecret(db, owner, { id: endpoint, secret: sealed }, overlapHours * hourMs))
  )
    throw unknownEndpoint(endpoint);
  await note(db, owner, endpoint, { secret: "replaced", overlap_hours: overlapHours });
  const json = { endpoint, secret };
  const hint = `Keep the secret now: it is not shown again. The former secret also signs for another ${overlapHours} h.`;
  return { json, text: `${fields(json)}\n${hint}` };
}

/** `gateway webhooks …` */
export function addWebhookGroup(program: Command, print: Print): void {
  const webhooks = program.command("webhooks").description("webhook endpoints of accounts");
  const endpointId = idOf("whe");
  addCommand(webhooks, "list", "list the endpoints of an account")
    .addOption(requiredAccount())
    .action(async (options: { account: string }) =>
      print(await withDatabase((db) => list(db, options))),
    );
  addCommand(webhooks, "deliveries", "show the delivery log of an endpoint, newest first")
    .argument("<endpoint>", "id of the endpoint", endpointId)
    .option("--state <state>", "pending, sending, delivered or failed", stateNamed)
    .option("--limit <n>", "most deliveries to show", wholeNumber(1, 1000), 20)
    .action(async (endpoint: string, options: { state?: LoggedDelivery["state"]; limit: number }) =>
      print(await withDatabase((db) => deliveries(db, endpoint, options))),
    );
  addCommand(webhooks, "replay", "send an event again")
    .argument("<endpoint>", "id of the endpoint", endpointId)
    .argument("<delivery>", "id of the delivery", idOf("whd"))
    .action(async (endpoint: string, delivery: string) =>
      print(await withDatabase((db) => replay(db, endpoint, delivery))),
    );
  for (const [name, enabled] of [
    ["enable", true],
    ["disable", false],
  ] as const) {
    addCommand(webhooks, name, `switch an endpoint ${enabled ? "on" : "off"}`)
      .argument("<endpoint>", "id of the endpoint", endpointId)
      .action(async (endpoint: string) =>
        print(await withDatabase((db) => switched(db, endpoint, enabled))),
      );
  }
  addCommand(webhooks, "rotate", "issue a new secret; the former one also signs for a while")
    .argument("<endpoint>", "id of the endpoint", endpointId)
    .option("--overlap-hours <n>", "hours until the former secret ends", hours, defaultOverlapHours)
    .action(async (endpoint: string, options: { overlapHours: number }) =>
      print(
        await withDatabase((db, system) =>
          rotate(db, pepperOf(system), endpoint, options.overlapHours),
        ),
      ),
    );
}

function stateNamed(text: string): LoggedDelivery["state"] {
  const states = ["pending", "sending", "delivered", "failed"] as const;
  const found = states.find((state) => state === text);
  if (!found) throw new InvalidArgumentError(`It must be one of ${states.join(", ")}.`);
  return found;
}
