import { expect, test } from "vitest";
import { AccountTurns, TooManyWaiting, type Turn } from "../../runtime/account-turns.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Turns on a clock that the test moves, with the names of the turns in the order of their beginning. */
function turnsOf(slots: number, more: { kept?: number; waitingPerAccount?: number } = {}) {
  const clock = { now: 0 };
  const turns = new AccountTurns({ name: "tried", slots, now: () => clock.now, ...more });
  const began: string[] = [];
  const running: { account: string; turn: Turn }[] = [];
  const take = (account: string) => {
    const taken = turns.take(account).then((turn) => {
      began.push(account);
      running.push({ account, turn });
    });
    taken.catch(() => undefined);
    return taken;
  };
  /** Ends the oldest running turn of the account after so many milliseconds. */
  const end = async (account: string, ms: number) => {
    clock.now += ms;
    const index = running.findIndex((one) => one.account === account);
    running.splice(index, 1)[0]?.turn.end();
    await settled();
  };
  return { turns, clock, began, running, take, end };
}

test("a single account has every slot but the kept one", async () => {
  const { turns, began, take } = turnsOf(4, { kept: 1 });
  for (let n = 0; n < 10; n += 1) void take("a");
  await settled();
  expect(began).toEqual(["a", "a", "a"]);
  expect(turns.counts()).toEqual({ running: 3, waiting: 7, accounts: 1 });
});

test("the kept slot is at once for an account without a turn, whoever waits", async () => {
  const { turns, began, take, end } = turnsOf(4, { kept: 1 });
  for (let n = 0; n < 10; n += 1) void take("a");
  void take("b");
  void take("b");
  await settled();
  expect(began).toEqual(["a", "a", "a", "b"]);
  await end("b", 5);
  expect(began.at(-1)).toBe("b");
  expect(turns.counts()).toEqual({ running: 4, waiting: 7, accounts: 2 });
});

test("with several accounts at work none begins beyond half of the slots", async () => {
  const { running, take, end, clock, turns } = turnsOf(4, { kept: 1 });
  for (let n = 0; n < 20; n += 1) void take("a");
  void take("b");
  await settled();
  await end("b", 5);
  // Account a has 3 turns of its time alone; the next ones begin below half of 4.
  await end("a", 100);
  await end("a", 100);
  expect(running.map(({ account }) => account)).toEqual(["a", "a"]);
  expect(turns.free()).toEqual({ slots: 2, barred: ["a"] });
  // Two seconds after b's last turn account a is alone again.
  clock.now += 2000;
  await end("a", 0);
  expect(turns.counts().running).toBe(3);
});

test("the measured time of its turns decides who is next, so long turns mean few of them", async () => {
  const { began, take, end } = turnsOf(1);
  for (let n = 0; n < 5; n += 1) void take("slow");
  for (let n = 0; n < 40; n += 1) void take("fast");
  await settled();
  for (let n = 0; n < 33; n += 1) {
    const account = began.at(-1) as string;
    await end(account, account === "slow" ? 1000 : 100);
  }
  const slow = began.filter((account) => account === "slow").length;
  expect([slow, began.length - slow]).toEqual([4, 30]);
});

test("an account that was away has saved nothing up, and turns without cost alternate", async () => {
  const { began, take, end } = turnsOf(1);
  for (let n = 0; n < 8; n += 1) void take("a");
  await settled();
  await end("a", 5000);
  await end("a", 5000);
  for (let n = 0; n < 4; n += 1) void take("b");
  await settled();
  began.length = 0;
  await end("a", 0);
  for (let n = 0; n < 6; n += 1) await end(began.at(-1) as string, 0);
  expect(began.filter((account) => account === "b").length).toBeGreaterThanOrEqual(3);
  expect(began.filter((account) => account === "a").length).toBeGreaterThanOrEqual(3);
});

test("a turn that was given up takes no slot, and a refused one leaves the others waiting", async () => {
  const { turns, began, take, end } = turnsOf(1, { waitingPerAccount: 2 });
  const left = new AbortController();
  await take("a");
  const gone = turns.take("a", left.signal);
  gone.catch(() => undefined);
  void take("a");
  await expect(turns.take("a")).rejects.toThrow(TooManyWaiting);
  void take("b");
  left.abort(new Error("left"));
  await expect(gone).rejects.toThrow("left");
  await expect(turns.take("a", AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
  await end("a", 10);
  await end("b", 10);
  await end("a", 10);
  expect(began).toEqual(["a", "b", "a"]);
  expect(turns.counts()).toEqual({ running: 0, waiting: 0, accounts: 0 });
});

test("a turn ends once, and work that throws ends its turn", async () => {
  const { turns } = turnsOf(1);
  const took: string[] = [];
  const turn = await turns.take("a");
  turn.end();
  turn.end();
  await expect(
    turns.run("a", () => {
      throw new Error("work");
    }),
  ).rejects.toThrow("work");
  await turns.run("b", () => took.push("b"));
  expect(took).toEqual(["b"]);
  expect(turns.counts().running).toBe(0);
});

test("with every order of ends no slot is given twice and every turn begins", async () => {
  const { turns, clock, began, running, take, end } = turnsOf(3, { kept: 1 });
  const cost: Record<string, number> = { a: 901, b: 32, c: 203 };
  for (const account of Object.keys(cost)) for (let n = 0; n < 30; n += 1) void take(account);
  await settled();
  while (running.length > 0) {
    expect(running.length).toBeLessThanOrEqual(3);
    const { account } = running[clock.now % running.length] as { account: string };
    await end(account, cost[account] as number);
  }
  expect(began).toHaveLength(90);
  expect(turns.counts()).toEqual({ running: 0, waiting: 0, accounts: 0 });
});

test("further slots begin the turns that wait; beyond fewer slots no turn begins, and none is ended", async () => {
  const { turns, began, take, end } = turnsOf(3, { kept: 1 });
  for (let n = 0; n < 10; n += 1) void take("a");
  await settled();
  expect(began).toHaveLength(2);
  turns.resize(6);
  await settled();
  expect(began).toHaveLength(5);
  turns.resize(3);
  await end("a", 10);
  await end("a", 10);
  expect(turns.counts()).toMatchObject({ running: 3, waiting: 5 });
  void take("b");
  await settled();
  expect(began).toHaveLength(5);
  await end("a", 10);
  expect(began.at(-1)).toBe("b");
  expect(turns.slots).toBe(3);
});
