import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import type { Target } from "./attack.ts";

const connections = new Agent({ connections: 256, headersTimeout: 120_000, bodyTimeout: 120_000 });
/** Pause of a loop after a refusal, so that it does not only count refusals. */
const refusedMs = 100;

export interface Sent {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Got {
  status: number;
  text: string;
}

/** One request to the gateway; status 0 without an answer. A body that is no text is sent as JSON. */
export async function send(
  { url, over }: Pick<Target, "url" | "over">,
  key: string | undefined,
  { method = "POST", path, body, headers = {} }: Sent,
): Promise<Got> {
  try {
    const answer = await request(`${url}${path}`, {
      method,
      dispatcher: connections,
      signal: over,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  } catch {
    return { status: 0, text: "" };
  }
}

/** Repeats the work in so many loops until the attack is over; a loop that is refused pauses. */
export async function inLanes(
  { over }: Pick<Target, "over">,
  lanes: number,
  work: (lane: number) => Promise<Got | void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (!over.aborted) {
        const got = await work(lane).catch(() => undefined);
        if (got && (got.status === 0 || got.status === 429 || got.status === 503))
          await sleep(refusedMs, undefined, { signal: over }).catch(() => undefined);
      }
    }),
  );
}

/** Begins the work so many times a second until the attack is over, however long each takes. */
export async function aSecond(
  { over }: Pick<Target, "over">,
  times: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now();
  for (let index = 0; !over.aborted; index += 1) {
    work(index).catch(() => undefined);
    const wait = startedAt + ((index + 1) * 1000) / times - performance.now();
    if (wait > 0) await sleep(wait, undefined, { signal: over }).catch(() => undefined);
    else await new Promise((resolve) => setImmediate(resolve));
  }
}
