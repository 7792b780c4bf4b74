import { afterAll, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { BatchOperations, type Common, readItem } from "../../../api/batches/item.ts";
import { ObjectScanner, LineScanner } from "../../../api/batches/scanner.ts";
import { parseBody } from "../../../api/edge/body.ts";
import { bodyLimitOf } from "../../../api/edge/size.ts";
import { decodeInput } from "../../../api/input.ts";
import { addMcp } from "../../../api/mcp/route.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { type Endpoint, takesBody } from "../../../contract/endpoint.ts";
import { endpoints } from "../../../contract/endpoints.ts";
import { operations as known } from "../../../contract/index.ts";
import { type Operation, pathParameters } from "../../../contract/operation.ts";
import { currentVersion } from "../../../contract/version.ts";
import { formBodyLimit, parseForm } from "../../../dashboards/form-body.ts";
import { createMetrics } from "../../../runtime/metrics.ts";
import { full } from "../../faults/full.ts";
import { caller } from "./caller.ts";
import { BodyGenerator, randomOf, sizeOf } from "./generated.ts";

/** 105,000 bodies at full length, else a tenth. */
const share = full ? 1 : 0.1;
/** A busy machine takes a multiple of the processor time. */
const [msPerMegabyte, msEach] = full ? [50, 10] : [250, 25];
const seed = 20_261_123;

const operations = [...known.values()] as Operation[];
const posts = operations.filter(({ method }) => method === "POST");
const common: Common = { caller, version: currentVersion, scenario: undefined, arrivedAt: 0 };
const inBatch = new BatchOperations(operations);

interface Door {
  bodies: number;
  most: number;
  /** Milliseconds of a connection, beside the body's own. */
  besideMs?: number;
  names(index: number): readonly string[];
  /** The body around the generated part. */
  around?(part: string, index: number): string;
  take(bytes: Buffer, index: number): unknown;
}

const opOf = (index: number) => posts[index % posts.length] as Operation;
/** The endpoints that read a whole body, crawls, jobs and webhooks among them. */
const own = endpoints.filter((one) => one.input && !one.items && takesBody(one));
const ownOf = (index: number) => own[index % own.length] as Endpoint;
const namesOf = (op: Operation) => Object.keys(op.input.shape);
const itemOf = (part: string, op: Operation) =>
  `{"custom_id":"a","operation":"${op.id}","input":${part}}`;
const anyOf = (index: number) => operations[index % operations.length] as Operation;

function readAll(scanner: ObjectScanner | LineScanner, bytes: Buffer): void {
  const pieces = [...scanner.push(bytes), ...scanner.end()];
  for (const piece of pieces.slice(0, 1)) readItem(piece, inBatch, common, "secret");
}

const app = createApp({
  authenticate: async () => caller,
  olderVersions: new Map(),
  metrics: createMetrics(),
  draining: () => false,
});
addMcp(
  app,
  () => false,
  () => () => undefined,
);
const address = await app.listen({ host: "127.0.0.1", port: 0 });
afterAll(() => app.close());
const headers = {
  authorization: "Bearer a",
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-11-25",
};

const tools = ["find_operations", "describe_operation", "call_operation", "job_status", "account"];
const message = (part: string, index: number) => {
  const method = ["tools/call", "tools/list", "initialize", "tasks/get"][(index % 9) % 4];
  const name = tools[index % tools.length];
  // One in three replaces all parameters.
  const params = index % 3 === 0 ? part : `{"name":"${name}","arguments":${part}}`;
  return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
};

const doors: Record<string, Door> = {
  operations: {
    bodies: 35_000,
    most: 1024 * 1024,
    names: (index) => namesOf(opOf(index)),
    take(bytes, index) {
      const op = opOf(index);
      if (bytes.length > bodyLimitOf(op)) return;
      const path = Object.fromEntries(pathParameters(op.path).map((name) => [name, "1"]));
      decodeInput(op, { path, query: new URLSearchParams(), body: parseBody(bytes) });
    },
  },
  "the gateway's own endpoints": {
    bodies: 5_000,
    most: 256 * 1024,
    names: (index) => Object.keys(ownOf(index).input?.shape ?? {}),
    take(bytes, index) {
      const { path, input } = ownOf(index);
      const names = Object.fromEntries(pathParameters(path).map((name) => [name, "1"]));
      const given = { path: names, query: new URLSearchParams(), body: parseBody(bytes) };
      if (input) decodeInput({ method: "POST", path, input }, given);
    },
  },
  batches: {
    bodies: 30_000,
    most: 1024 * 1024,
    names: (index) => namesOf(anyOf(index)),
    around: (part, index) =>
      index % 2 ? itemOf(part, anyOf(index)) : `{"items":[${itemOf(part, anyOf(index))}]}`,
    take(bytes, index) {
      const { longest } = inBatch;
      readAll(index % 2 ? new LineScanner(longest) : new ObjectScanner(longest), bytes);
    },
  },
  mcp: {
    bodies: 5_000,
    most: 256 * 1024,
    besideMs: full ? 20 : 200,
    names: () => ["operation", "input", "fields", "query", "job", "params", "_meta", "taskId"],
    around: message,
    take: (bytes) =>
      fetch(`${address}/mcp`, { method: "POST", headers, body: new Uint8Array(bytes) }).then(
        (answer) => answer.arrayBuffer(),
      ),
  },
  "forms of the dashboards": {
    bodies: 30_000,
    most: formBodyLimit,
    names: () => ["user", "password", "next", "kind", "target", "why"],
    // Members become parameters.
    around: (part) => part.replaceAll(",", "&").replaceAll(":", "="),
    take: (bytes) => parseForm(bytes.toString()),
  },
};

async function timed(door: Door, bytes: Buffer, index: number): Promise<number> {
  const startedAt = performance.now();
  try {
    await door.take(bytes, index);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
  return performance.now() - startedAt;
}

test.each(Object.entries(doors))(
  "case 40: no generated body costs more than its share: %s",
  async (name, door) => {
    const random = randomOf(seed);
    const bodies = door.bodies * share;
    const worst = { perMegabyte: 0, ms: 0, index: -1, bytes: 0 };
    for (let index = 0; index < bodies; index += 1) {
      const part = new BodyGenerator(random, door.names(index)).next(sizeOf(random, door.most));
      const bytes = Buffer.from((door.around?.(part, index) ?? part).slice(0, door.most));
      const beside = msEach + (door.besideMs ?? 0);
      const allowed = beside + (msPerMegabyte * bytes.length) / 1024 / 1024;
      let ms = await timed(door, bytes, index);
      // The least of several runs excludes garbage collection and other load.
      for (let again = 0; again < 5 && ms > allowed / 2; again += 1)
        ms = Math.min(ms, await timed(door, bytes, index));
      const perMegabyte = Math.max(0, ms - beside) / (bytes.length / 1024 / 1024);
      if (ms > worst.ms) Object.assign(worst, { perMegabyte, ms, index, bytes: bytes.length });
      expect(
        ms,
        `${name} ${index}: ${bytes.length} bytes, ${bytes.toString("utf8", 0, 300)}`,
      ).toBeLessThan(allowed);
    }
    console.log(`${bodies} bodies at ${name}; slowest`, worst);
  },
  600_000,
);
