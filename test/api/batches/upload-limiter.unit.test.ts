import { expect, test } from "vitest";
import { type Seen, limitUploads } from "../../../api/batches/upload-limiter.ts";

/** Reads a large batch, which is then accepted or not. */
const large = (isTaken: boolean) => async (seen: Seen) => {
  Object.assign(seen, { items: 10_000, bytes: 1024 * 1024, isTaken });
  return "read";
};

test("a batch that is paid for releases its slot at once", async () => {
  const caller = { accountId: 1, mode: "live" as const };
  for (let count = 0; count < 10; count += 1)
    expect(await limitUploads(caller, large(true), () => 0)).toBe("read");
});

// Each was one call of the rate, and up to a second of the processor.
test("a refused or only priced batch holds its slot in proportion to the bytes read", async () => {
  const caller = { accountId: 2, mode: "test" as const };
  let ms = 0;
  const now = () => ms;
  const refused = async (seen: Seen) => {
    await large(false)(seen);
    throw new Error("refused");
  };
  await limitUploads(caller, large(false), now);
  ms = 1000;
  for (let count = 0; count < 3; count += 1)
    await expect(limitUploads(caller, refused, now)).rejects.toThrow("refused");
  await expect(limitUploads(caller, large(true), now)).rejects.toMatchObject({
    type: "rate_limited",
    retryAfter: 22,
  });
  expect(await limitUploads({ ...caller, mode: "live" }, large(true), now)).toBe("read");
  ms = 22_049;
  expect(await limitUploads(caller, large(true), now)).toBe("read");
});

test("at most four batches are read concurrently", async () => {
  const caller = { accountId: 3, mode: "live" as const };
  const { promise, resolve } = Promise.withResolvers<string>();
  const reading = Array.from({ length: 4 }, () => limitUploads(caller, () => promise));
  await expect(limitUploads(caller, large(true))).rejects.toMatchObject({ retryAfter: 1 });
  resolve("read");
  await Promise.all(reading);
  expect(await limitUploads(caller, large(true))).toBe("read");
});
