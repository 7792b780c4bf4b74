import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { Unread } from "../../api/unread.ts";

const mb = 1024 * 1024;
const who = (accountId: number) => ({ accountId, mode: "live" as const });

/** As much of a response as is asked of one. */
function writing() {
  const socket = { destroyed: false, destroy: () => (socket.destroyed = true) };
  return Object.assign(new EventEmitter(), { socket }) as unknown as ServerResponse & {
    socket: { destroyed: boolean };
  };
}

test("an account with too much to read has to read first; others need not", () => {
  const unread = new Unread({ account: 10 * mb, process: 100 * mb });
  const answers = [writing(), writing()];
  for (const answer of answers) unread.add(who(1), answer, 6 * mb);
  expect(() => unread.check(who(1))).toThrow("Read the answers");
  expect(() => unread.check(who(2))).not.toThrow();
  answers[0]?.emit("close");
  expect(() => unread.check(who(1))).not.toThrow();
  expect(() => unread.check(who(1), 5 * mb)).toThrow("Read the answers");
  answers[1]?.emit("close");
  expect(() => unread.check(who(1), 50 * mb)).not.toThrow();
  expect(unread.bytes).toBe(0);
});

test("beyond the process's budget the largest account loses its oldest connection", () => {
  const unread = new Unread({ account: 100 * mb, process: 50 * mb });
  const [small, first, second, third] = [writing(), writing(), writing(), writing()];
  unread.add(who(2), small, 10 * mb);
  unread.add(who(1), first, 18 * mb);
  unread.add(who(1), second, 18 * mb);
  unread.add(who(1), third, 18 * mb);
  expect([small, first, second, third].map(({ socket }) => socket.destroyed)).toEqual([
    false,
    true,
    false,
    false,
  ]);
  expect(unread.bytes).toBe(46 * mb);
  first.emit("close");
  expect(unread.bytes).toBe(46 * mb);
});
