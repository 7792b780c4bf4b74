import { expect } from "vitest";
import type { BatchData } from "../../../contract/batches.ts";
import { type Answer, type Envelope, type ErrorEnvelope, Gateway, until } from "../../gateway.ts";

interface Item {
  custom_id: string;
  operation: string;
  input: Record<string, unknown>;
}

export type Status = Envelope<BatchData>;
type Accepted = BatchData & {
  skipped?: { count: number; lines: number[]; issues: { line: number; path: string }[] };
};

export const search = (id: string, limit = 3): Item => ({
  custom_id: id,
  operation: "shortclip.search",
  input: { q: `food ${id}`, limit },
});

/** A gateway and an account whose batches it runs. */
export class BatchRig {
  readonly gateway: Gateway;
  readonly key: string;
  readonly accountId: number;

  private constructor(gateway: Gateway, { key, accountId }: { key: string; accountId: number }) {
    this.gateway = gateway;
    this.key = key;
    this.accountId = accountId;
  }

  static async start(pools: string): Promise<BatchRig> {
    const gateway = await Gateway.start({ pools, shorter: ["slow"] });
    return new BatchRig(gateway, await gateway.key({ mode: "test", credits: 10_000 }));
  }

  async check(): Promise<void> {
    expect(await this.gateway.violations()).toEqual([]);
  }

  submit(
    items: readonly unknown[],
    options: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer<Status & ErrorEnvelope>> {
    return this.gateway.call(this.key, "POST", "/batches", {
      body: { ...options, items },
      headers,
    });
  }

  async ndjson(
    lines: readonly string[],
    query = "",
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: Envelope<Accepted> & ErrorEnvelope }> {
    const response = await fetch(`${this.gateway.url}/batches${query}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.key}`,
        "content-type": "application/x-ndjson",
        ...headers,
      },
      body: lines.join("\n"),
    });
    const body = (await response.json()) as Envelope<Accepted> & ErrorEnvelope;
    return { status: response.status, body };
  }

  async status(id: string): Promise<BatchData> {
    return (await this.gateway.call<Status>(this.key, "GET", `/batches/${id}`)).body.data;
  }

  async ended(id: string): Promise<BatchData> {
    await until(async () => ["ended", "cancelled"].includes((await this.status(id)).state));
    return this.status(id);
  }
}
