import { describe, expect, test } from "vitest";
import { GatewayError } from "../../../contract/errors.ts";
import type { CursorPayload } from "../../../contract/cursor.ts";
import type { Json } from "../../../contract/json.ts";
import type { Call } from "../../../worker/connector.ts";
import { type Page, collect } from "../../../worker/mapping/list.ts";

function callWith(more: Partial<Call> = {}): Call {
  return {
    requestId: "svc_test",
    operation: "area.list",
    mode: "live",
    scenario: undefined,
    tenant: "t",
    account: "t",
    signal: new AbortController().signal,
    startedAt: Date.now(),
    deadline: Date.now() + 60_000,
    maxRecords: 1000,
    shortOfCredits: false,
    cursor: undefined,
    send: () => Promise.reject(new Error("not used")),
    fetchFor: () => fetch,
    standingOf: () => Promise.resolve("ready"),
    log: () => undefined,
    ...more,
  };
}

/** An upstream list of `total` rows in pages of `size`, with a count of its calls. */
function upstream(total: number, size: number) {
  const positions: (Json | undefined)[] = [];
  const fetchPage = (position: Json | undefined): Promise<Page<number>> => {
    positions.push(position);
    const start = Number(position ?? 0);
    const end = Math.min(total, start + size);
    return Promise.resolve({
      rows: Array.from({ length: end - start }, (_, index) => start + index),
      next: end < total ? end : undefined,
    });
  };
  return { positions, fetchPage };
}

describe("collecting a list", () => {
  test("fills the limit from several pages and stops at the end", async () => {
    const { fetchPage, positions } = upstream(25, 10);
    const all = await collect(callWith(), { limit: 50, fetch: fetchPage });
    expect(all.rows).toEqual(Array.from({ length: 25 }, (_, index) => index));
    expect(all.pagination).toEqual({ has_more: false });
    expect(positions).toEqual([undefined, 10, 20]);
  });

  test.each([1, 3, 7, 10, 11, 24, 25])(
    "resumes without gap or repeat with limit %i",
    async (limit) => {
      const { fetchPage } = upstream(25, 10);
      const rows: number[] = [];
      let cursor: CursorPayload | undefined;
      for (let round = 0; round < 30; round += 1) {
        const part = await collect(callWith({ cursor }), { limit, fetch: fetchPage });
        expect(part.rows.length).toBeLessThanOrEqual(limit);
        rows.push(...part.rows);
        cursor = part.pagination.next;
        if (!part.pagination.has_more) break;
      }
      expect(rows).toEqual(Array.from({ length: 25 }, (_, index) => index));
    },
  );

  test("a page that claims more without a cursor is an answer that does not fit", async () => {
    const claims = { rows: [1, 2], more: true };
    const first = collect(callWith(), { limit: 50, fetch: async () => claims });
    await expect(first).rejects.toMatchObject({ type: "response_shape_error" });
    // Rows of an earlier page are delivered; the page that does not fit is requested again.
    const logged: unknown[] = [];
    const later = await collect(callWith({ log: (...line) => logged.push(line) }), {
      limit: 50,
      fetch: async (position) => (position === undefined ? { rows: [1], next: 2 } : claims),
    });
    expect(later).toMatchObject({ rows: [1], pagination: { has_more: true, next: { u: 2 } } });
    expect(JSON.stringify(logged)).toContain('"path":"next page"');
    for (const end of [{ next: null }, { more: false }, {}]) {
      const page = { rows: [1], more: true, next: undefined, ...end };
      const reply = "next" in end ? page : { rows: [1], ...end };
      const found = await collect(callWith(), { limit: 50, fetch: async () => reply });
      expect(found.pagination).toEqual({ has_more: false });
    }
  });

  test("a cut by the balance sets the flag and continues at the first undelivered row", async () => {
    const { fetchPage } = upstream(25, 10);
    const part = await collect(callWith({ maxRecords: 7, shortOfCredits: true }), {
      limit: 20,
      fetch: fetchPage,
    });
    expect(part).toMatchObject({ truncated: true, pagination: { has_more: true, next: { o: 7 } } });
    expect(part.rows).toHaveLength(7);
  });

  test("a short balance that covers all rows cuts nothing", async () => {
    const { fetchPage } = upstream(5, 10);
    const part = await collect(callWith({ maxRecords: 7, shortOfCredits: true }), {
      limit: 20,
      fetch: fetchPage,
    });
    expect(part).toMatchObject({ truncated: false, pagination: { has_more: false } });
  });

  test("an upstream that repeats its position has ended", async () => {
    let calls = 0;
    const part = await collect(callWith(), {
      limit: 50,
      fetch: () => {
        calls += 1;
        return Promise.resolve({ rows: [calls], next: "same" });
      },
    });
    expect(part.pagination).toEqual({ has_more: false });
    expect(calls).toBe(2);
  });

  test("an upstream that leads back to a page of the same call has ended", async () => {
    const asked: (Json | undefined)[] = [];
    const fetch = (position: Json | undefined): Promise<Page<number>> => {
      asked.push(position);
      const turns: Record<string, Json> = { start: "a", a: "b", b: "a" };
      const next = typeof position === "string" ? turns[position] : undefined;
      return Promise.resolve({ rows: [], next, advances: true });
    };
    const part = await collect(callWith(), { limit: 50, start: "start", fetch });
    expect(part).toMatchObject({ rows: [], pagination: { has_more: false } });
    expect(asked).toEqual(["start", "a", "b"]);
  });

  test("empty pages that promise more are followed twice", async () => {
    let calls = 0;
    const part = await collect(callWith(), {
      limit: 50,
      fetch: (): Promise<Page<number>> => Promise.resolve({ rows: [], next: (calls += 1) }),
    });
    expect(part).toMatchObject({ rows: [], pagination: { has_more: false } });
    expect(calls).toBe(3);
  });

  test("empty pages of a list that goes on for certain are followed, and never its end", async () => {
    let calls = 0;
    const fetch = (): Promise<Page<number>> => {
      calls += 1;
      return Promise.resolve({ rows: calls === 8 ? [8] : [], next: calls, advances: true });
    };
    const found = await collect(callWith(), { limit: 1, fetch });
    expect(found).toMatchObject({ rows: [8], pagination: { has_more: true, next: { u: 8 } } });
    const none = await collect(callWith(), { limit: 1, fetch });
    expect(none).toMatchObject({ rows: [], pagination: { has_more: true, next: { u: 19 } } });
    const late = callWith({ startedAt: Date.now() - 71_000, deadline: Date.now() + 29_000 });
    const stopped = await collect(late, { limit: 1, fetch });
    expect(stopped).toMatchObject({ rows: [], pagination: { has_more: true, next: { u: 20 } } });
  });

  test("a row seen before in the same call is dropped", async () => {
    const pages: Page<string>[] = [{ rows: ["a", "b"], next: 1 }, { rows: ["b", "c"] }];
    const part = await collect(callWith(), {
      limit: 50,
      fetch: (position) => Promise.resolve(pages[Number(position ?? 0)] as Page<string>),
      key: (row) => row,
    });
    expect(part.rows).toEqual(["a", "b", "c"]);
  });

  test("a fault of a later page returns the earlier rows and continues at that page", async () => {
    const { fetchPage } = upstream(25, 10);
    const part = await collect(callWith(), {
      limit: 25,
      fetch: (position) =>
        position === 20
          ? Promise.reject(new GatewayError("upstream_unavailable", "busy"))
          : fetchPage(position),
    });
    expect(part.rows).toHaveLength(20);
    expect(part.pagination).toEqual({ has_more: true, next: { u: 20 } });
  });

  test("a fault of the first page is the call's fault", async () => {
    const fault = new GatewayError("upstream_error", "fault");
    await expect(
      collect(callWith(), { limit: 5, fetch: () => Promise.reject(fault) }),
    ).rejects.toBe(fault);
  });

  test("after 70 % of its time a call returns what it has", async () => {
    const { fetchPage } = upstream(25, 10);
    const late = callWith({ startedAt: Date.now() - 71_000, deadline: Date.now() + 29_000 });
    const part = await collect(late, { limit: 25, fetch: fetchPage });
    expect(part.rows).toHaveLength(10);
    expect(part.pagination).toEqual({ has_more: true, next: { u: 10 } });
  });
});
