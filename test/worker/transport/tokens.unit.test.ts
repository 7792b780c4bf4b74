import { beforeEach, describe, expect, test } from "vitest";
import { TokenCache, TokenTooLate } from "../../../worker/transport/tokens.ts";

let at = 0;
let cache: TokenCache;
let fetched = 0;
const send = () => Promise.reject(new Error("unexpected request"));
const forever = new AbortController().signal;

beforeEach(() => {
  at = 0;
  fetched = 0;
  cache = new TokenCache(() => at);
});

function get(expiresIn?: number, options = { signal: forever, waitMs: 5000 }): Promise<string> {
  return cache.for(send, options).get(async () => {
    fetched += 1;
    return { value: `token-${fetched}`, ...(expiresIn === undefined ? {} : { expiresIn }) };
  });
}

describe("TokenCache", () => {
  test("keeps a token until a minute before its end", async () => {
    expect(await get(3600)).toBe("token-1");
    at = 3_539_999;
    expect(await get(3600)).toBe("token-1");
    at = 3_540_000;
    expect(await get(3600)).toBe("token-2");
  });

  test("keeps a token that does not expire, and a short one for most of its life", async () => {
    expect(await get()).toBe("token-1");
    at = 1e15;
    expect(await get()).toBe("token-1");
    cache.drop("token-1");
    expect(await get(10)).toBe("token-2");
    at += 8_999;
    expect(await get(10)).toBe("token-2");
    at += 1;
    expect(await get(10)).toBe("token-3");
  });

  test("drops only the token that was refused", async () => {
    await get();
    cache.drop("token-0");
    expect(await get()).toBe("token-1");
  });

  test("a failed fetch is not kept", async () => {
    const tokens = cache.for(send, { signal: forever, waitMs: 5000 });
    await expect(tokens.get(() => Promise.reject(new Error("down")))).rejects.toThrow("down");
    expect(await get()).toBe("token-1");
  });

  test("a caller who leaves does not cancel the token for the others", async () => {
    let finish = (_token: string) => {};
    const slow = () =>
      new Promise<{ value: string }>((resolve) => (finish = (value) => resolve({ value })));
    const leaving = new AbortController();
    const first = cache.for(send, { signal: leaving.signal, waitMs: 5000 }).get(slow);
    const second = cache.for(send, { signal: forever, waitMs: 5000 }).get(slow);
    const third = cache.for(send, { signal: forever, waitMs: 1 }).get(slow);
    leaving.abort(new Error("caller left"));
    await expect(first).rejects.toThrow("caller left");
    await expect(third).rejects.toThrow(TokenTooLate);
    finish("late");
    expect(await second).toBe("late");
  });
});
