import { expect } from "vitest";
import type { WebhookEvent } from "../../../db/webhooks.ts";
import { type Answer, type Envelope, type ErrorEnvelope, Gateway, until } from "../../gateway.ts";
import { type Receiver, startReceiver } from "../../receiver.ts";

export interface Endpoint {
  id: string;
  url: string | null;
  secret: string;
  off: { since: string; reason: string } | null;
  pending: number;
  former_secret_until: string | null;
}

export interface Delivery {
  id: string;
  event_id: string;
  event_type: string;
  state: string;
  attempts: number;
  answers: { attempt: number; status?: number; fault?: string; body?: string }[];
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";
type Refusal = ErrorEnvelope["error"];

/** A gateway that delivers webhooks, a receiver, and an account that each test begins anew. */
export class WebhookRig {
  readonly gateway: Gateway;
  readonly receiver: Receiver;
  key = "";
  accountId = 0;

  private constructor(gateway: Gateway, receiver: Receiver) {
    this.gateway = gateway;
    this.receiver = receiver;
  }

  /** `others` are receivers that the gateway may reach as well. */
  static async start(others: readonly Receiver[] = []): Promise<WebhookRig> {
    const receiver = await startReceiver();
    const allowed = [receiver, ...others].map(({ address }) => address).join(",");
    const env = { WEBHOOK_ALLOW: allowed, WEBHOOK_PAUSES: "0.1,0.2,0.4,0.8" };
    return new WebhookRig(await Gateway.start({ pools: "webhooks", env }), receiver);
  }

  async stop(): Promise<void> {
    expect(await this.gateway.violations()).toEqual([]);
    await this.gateway.stop();
    await this.receiver.stop();
  }

  /** The calls that follow are those of a new account. */
  async renewAccount(): Promise<void> {
    const { key, accountId } = await this.gateway.key({ mode: "test", credits: 100 });
    Object.assign(this, { key, accountId });
  }

  async begin(): Promise<void> {
    this.receiver.answers(() => 204);
    this.receiver.received.length = 0;
    await this.renewAccount();
  }

  ask<D>(method: Method, path: string, body?: unknown): Promise<Answer<Envelope<D>>> {
    return this.gateway.call(this.key, method, path, body === undefined ? {} : { body });
  }

  async refused(method: Method, path: string, body?: unknown): Promise<Refusal> {
    const options = body === undefined ? {} : { body };
    return (await this.gateway.call<ErrorEnvelope>(this.key, method, path, options)).body.error;
  }

  /** A POST with an Idempotency-Key. */
  keyed<D>(
    path: string,
    name: string,
    body?: unknown,
  ): Promise<Answer<Envelope<D> & ErrorEnvelope>> {
    return this.gateway.call(this.key, "POST", path, {
      headers: { "Idempotency-Key": name },
      ...(body === undefined ? {} : { body }),
    });
  }

  async register(
    path = "/hook",
    events = ["job.ended"],
    receiver: Receiver = this.receiver,
  ): Promise<Endpoint> {
    const { status, body, text } = await this.ask<Endpoint>("POST", "/webhooks", {
      url: `${receiver.url}${path}`,
      events,
    });
    expect(status, text).toBe(201);
    return body.data;
  }

  ended(subject: string, more: Partial<WebhookEvent> = {}): WebhookEvent {
    return {
      accountId: this.accountId,
      mode: "test",
      type: "job.ended",
      subject,
      data: { request_id: subject, state: "succeeded" },
      ...more,
    };
  }

  async log(id: string, query = ""): Promise<Envelope<Delivery[]>> {
    return (await this.ask<Delivery[]>("GET", `/webhooks/${id}/deliveries${query}`)).body;
  }

  /** Polls the endpoint's one delivery until it is in this state. */
  async settled(id: string, state: string): Promise<Delivery> {
    await until(async () => (await this.log(id)).data[0]?.state === state);
    return (await this.log(id)).data[0] as Delivery;
  }

  /** Without the late attempts of other tests. */
  receivedAt(path: string): Receiver["received"] {
    return this.receiver.received.filter((one) => one.path === path);
  }
}
