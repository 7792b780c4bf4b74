import { expect, test } from "vitest";
import { isLarge, parseInTurn } from "../../../api/edge/body-turns.ts";

const large = Buffer.from(JSON.stringify({ text: "x".repeat(100_000) }));

test("large bodies are parsed one in a turn of the event loop, in turns by account", async () => {
  expect(isLarge(large)).toBe(true);
  expect(isLarge(Buffer.from("{}"))).toBe(false);
  let loop = 0;
  let isOver = false;
  const count = () => {
    loop += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const parsed: { account: string; loop: number }[] = [];
  const send = (account: string) =>
    parseInTurn(large, account, () => parsed.push({ account, loop }));
  const many = Array.from({ length: 16 }, () => send("attacker"));
  const other = send("other");
  expect(await other).toEqual({ text: "x".repeat(100_000) });
  await Promise.all(many);
  isOver = true;
  expect(new Set(parsed.map((one) => one.loop)).size).toBe(17);
  expect(parsed.findIndex(({ account }) => account === "other")).toBeLessThanOrEqual(2);
});

test("a refused body gives its turn back", async () => {
  const broken = Buffer.from(`{"text":"${"x".repeat(100_000)}`);
  const resume = () => undefined;
  await expect(parseInTurn(broken, "a", resume)).rejects.toThrow("not valid JSON");
  await expect(parseInTurn(large, "a", resume)).resolves.toBeDefined();
});
