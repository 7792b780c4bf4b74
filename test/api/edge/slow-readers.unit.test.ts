import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { Unread } from "../../../api/edge/slow-readers.ts";

const mb = 1024 * 1024;
const who = (accountId: number) => ({ accountId, mode: "live" as const });

function connection() {
  const socket = Object.assign(new EventEmitter(), { destroyed: false, destroy });
  function destroy() {
    socket.destroyed = true;
    socket.emit("close");
  }
  return socket;
}

/** A response that reports as many unread bytes as a test sets. */
function writing(socket = connection()) {
  const response = Object.assign(new EventEmitter(), { req: { socket } });
  return response as unknown as ServerResponse;
}

test("an account with too many unread bytes must read first; other accounts need not", () => {
  const unread = new Unread({ account: 10 * mb, process: 100 * mb });
  const answers = [writing(), writing()];
  for (const answer of answers) unread.add(who(1), answer, 6 * mb);
  expect(() => unread.check(who(1))).toThrow("Read the answers");
  expect(() => unread.check(who(2))).not.toThrow();
  answers[0]?.emit("close");
  expect(() => unread.check(who(1))).not.toThrow();
  answers[1]?.emit("close");
  expect(unread.bytes).toBe(0);
});

test("beyond the process's budget the largest account loses its oldest connection", () => {
  const unread = new Unread({ account: 100 * mb, process: 50 * mb });
  const [small, first, second, third] = [writing(), writing(), writing(), writing()];
  unread.add(who(2), small, 10 * mb);
  unread.add(who(1), first, 18 * mb);
  unread.add(who(1), second, 18 * mb);
  unread.add(who(1), third, 18 * mb);
  expect([small, first, second, third].map(({ req }) => req.socket.destroyed)).toEqual([
    false,
    true,
    false,
    false,
  ]);
  expect(unread.bytes).toBe(46 * mb);
  first.emit("close");
  expect(unread.bytes).toBe(46 * mb);
});

test("an answer is counted before it is read, and once", () => {
  const unread = new Unread({ account: 10 * mb, process: 100 * mb });
  const [large, second, other] = [writing(), writing(), writing()];
  unread.take(who(1), large, 50 * mb);
  unread.take(who(1), large, 51 * mb);
  unread.take(who(1), large, 1 * mb);
  expect(unread.bytes).toBe(51 * mb);
  expect(() => unread.take(who(1), second, 1 * mb)).toThrow("Read the answers");
  unread.take(who(2), other, 1 * mb);
  large.emit("close");
  unread.take(who(1), second, 6 * mb);
  unread.add(who(1), second, 5 * mb);
  expect(unread.bytes).toBe(6 * mb);
});

test("pipelined answers on one connection all count, and end with it", () => {
  const unread = new Unread({ account: 10 * mb, process: 100 * mb });
  const socket = connection();
  unread.take(who(1), writing(socket), 4 * mb);
  unread.take(who(1), writing(socket), 4 * mb);
  expect(() => unread.take(who(1), writing(socket), 4 * mb)).toThrow("Read the answers");
  expect(unread.bytes).toBe(8 * mb);
  socket.destroy();
  expect(unread.bytes).toBe(0);
  expect(() => unread.take(who(1), writing(socket), 4 * mb)).toThrow("closed");
});
