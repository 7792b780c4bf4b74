import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { countRecords, type Operation } from "../../contract/operation.ts";
import type { Attempt } from "../faults/history.ts";
import type { Envelope, ErrorEnvelope, Gateway } from "../gateway.ts";
import type { Answered } from "./verdict.ts";

export interface Client {
  account: number;
  key: string;
}

/** One request and its expected outcome. */
export interface CallRequest {
  client?: Client;
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** The billed operation; absent where nothing is billed. */
  op?: Operation;
  idempotencyKey?: string;
  /** Receives the body of an answer that is a success. */
  heard?: (body: unknown) => void;
  /** The caller hangs up after this time. */
  leavesAfterMs?: number;
}

/** An answer for the history of money and the verdict on statuses. */
export interface Seen extends Attempt, Answered {
  billed: boolean;
  refused: boolean;
}

/** Longer than any call may take. */
const patienceMs = 150_000;
const retries = 30;

/** Sends calls to the API processes in service and records their answers. */
export class Traffic {
  readonly seen: Seen[] = [];
  /** Addresses of the API processes in a load balancer's rotation. */
  readonly inService: Set<string>;
  /** Keys whose call has never ended in a stored answer. */
  readonly unresolved = new Set<string>();
  readonly #gateway: Gateway;
  #running = 0;
  #next = 0;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.inService = new Set(gateway.apis.map(({ url }) => url));
  }

  get running(): number {
    return this.#running;
  }

  /** Sends a call once. */
  async send(kind: string, ask: CallRequest): Promise<Seen> {
    const { client, op, idempotencyKey, heard } = ask;
    return this.observe(kind, client, async (url, one) => {
      one.billed = op !== undefined;
      if (idempotencyKey) one.key = idempotencyKey;
      const answer = await this.#gateway.call<Envelope & ErrorEnvelope>(
        client?.key,
        ask.method,
        ask.path,
        {
          url,
          body: ask.body,
          headers: {
            ...ask.headers,
            ...(idempotencyKey ? { "Idempotency-Key": idempotencyKey } : {}),
          },
          signal: AbortSignal.timeout(ask.leavesAfterMs ?? patienceMs),
        },
      );
      one.requestId = answer.headers.get("svc-request-id") ?? "";
      // Only compared with each other; the bodies of a long soak would not fit in memory.
      if (idempotencyKey) one.text = createHash("sha1").update(answer.text).digest("base64");
      if (answer.status === 200 && op) {
        const { billing, data } = answer.body;
        one.charged = billing.credits_charged;
        one.records = billing.records_charged;
        one.remaining = billing.balance_remaining;
        one.delivered = countRecords(op, data);
      }
      if (answer.status < 300) heard?.(answer.body);
      return answer.status;
    });
  }

  /** Records the times and the status of a request, which `send` returns. */
  async observe(
    kind: string,
    client: Client | undefined,
    send: (url: string, one: Seen) => Promise<number>,
  ): Promise<Seen> {
    const apis = [...this.inService];
    const api = apis[(this.#next += 1) % apis.length] as string;
    const one: Seen = {
      kind,
      api,
      startedAt: Date.now(),
      endedAt: 0,
      account: client?.account ?? 0,
      status: "unknown",
      billed: false,
      refused: false,
    };
    this.#running += 1;
    try {
      one.status = await send(api, one);
    } catch (error) {
      const cause = (error as { cause?: { code?: string } }).cause;
      one.refused = cause?.code === "ECONNREFUSED";
    }
    this.#running -= 1;
    one.endedAt = Date.now();
    this.seen.push(one);
    return one;
  }

  /** Repeats a call with a key until its answer is one that is stored. */
  async sendUntilKept(kind: string, ask: CallRequest & { idempotencyKey: string }): Promise<void> {
    this.unresolved.add(ask.idempotencyKey);
    for (let again = 0; again < retries; again += 1) {
      const { status } = await this.send(kind, ask);
      if (status === 200 || status === 404) {
        this.unresolved.delete(ask.idempotencyKey);
        return;
      }
      // The caller who left wants the answer after all.
      delete ask.leavesAfterMs;
      await sleep(again === 0 ? 200 : 1000);
    }
  }
}
