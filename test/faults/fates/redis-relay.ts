import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pools } from "../../../contract/operation.ts";
import { root } from "../../imports.ts";
import type { Protocol, Reply, Request } from "./store-relay.ts";

/** Redis's messages: a round trip is one command, or a transaction from MULTI to EXEC. */

/** BullMQ's scripts by the digest that EVALSHA sends. */
const scripts = new Map(
  Object.values(
    createRequire(import.meta.url)(
      join(root, "node_modules/bullmq/dist/cjs/scripts/index.js"),
    ) as Record<string, { name: string; content: string }>,
  ).map(({ name, content }) => [createHash("sha1").update(content).digest("hex"), name]),
);

/** Commands that set a connection up, or ask for the server's settings. */
const ignored = new Set(
  "auth hello client info select ping script config command quit function".split(" "),
);
/** Their answers are pushed, without an order between them and other answers. */
const pushed = new Set("subscribe unsubscribe psubscribe punsubscribe".split(" "));

/** The kind of a key: its fixed parts, without ids. */
export const keyKind = (key: string): string =>
  key
    .replace(/^\{?gateway\}?:/, "")
    .split(":")
    .map((part) => {
      if ((pools as readonly string[]).includes(part) || part === "webhooks") return "queue";
      return /^[a-z][a-z_-]*$/.test(part) && !part.startsWith("svc_") ? part : "*";
    })
    .join(":");

function commandLabel(words: readonly string[]): string | undefined {
  const command = (words[0] ?? "").toLowerCase();
  if (ignored.has(command)) return undefined;
  if (command !== "eval" && command !== "evalsha") return `${command} ${keyKind(words[1] ?? "")}`;
  const digest =
    command === "eval"
      ? createHash("sha1")
          .update(words[1] ?? "")
          .digest("hex")
      : words[1];
  const name = scripts.get(digest ?? "");
  return name === undefined ? `script ${keyKind(words[3] ?? "")}` : `bullmq ${name}`;
}

/** Index behind the value that begins at `at`, or -1 where it is not whole. */
function endOf(bytes: Buffer, at: number): number {
  const line = bytes.indexOf("\r\n", at);
  if (line < 0) return -1;
  const type = String.fromCharCode(bytes[at] as number);
  const after = line + 2;
  if ("+-:_#,(".includes(type)) return after;
  const length = Number(bytes.toString("latin1", at + 1, line));
  if (length < 0) return after;
  if ("$=!".includes(type)) return after + length + 2 <= bytes.length ? after + length + 2 : -1;
  const values = type === "%" || type === "|" ? 2 * length : length;
  let end = after;
  for (let value = 0; value < values && end >= 0; value += 1) end = endOf(bytes, end);
  return end;
}

/** The first words of a command or of a pushed message. */
function wordsOf(command: Buffer, most = Infinity): string[] {
  const words: string[] = [];
  let at = command.indexOf("\r\n") + 2;
  while (at < command.length && words.length < most) {
    const line = command.indexOf("\r\n", at);
    const length = Number(command.toString("latin1", at + 1, line));
    words.push(command.toString("utf8", line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
  return words;
}

export class RedisProtocol implements Protocol {
  #sent: Buffer = Buffer.alloc(0);
  #received: Buffer = Buffer.alloc(0);
  /** The commands of an open transaction. */
  #transaction: Buffer[] | undefined;
  #label: string | undefined;
  /** Answers that each open round trip still gets. */
  readonly #answers: number[] = [];

  requests(bytes: Buffer): Request[] {
    this.#sent = Buffer.concat([this.#sent, bytes]);
    const found: Request[] = [];
    while (this.#sent.length > 0) {
      const end = endOf(this.#sent, 0);
      if (end < 0) break;
      const request = this.#taken(this.#sent.subarray(0, end));
      this.#sent = this.#sent.subarray(end);
      if (request) found.push(request);
    }
    return found;
  }

  #taken(command: Buffer): Request | undefined {
    const words = wordsOf(command);
    const name = (words[0] ?? "").toLowerCase();
    if (name === "multi") {
      this.#transaction = [command];
      this.#label = undefined;
      return undefined;
    }
    if (this.#transaction) {
      this.#transaction.push(command);
      this.#label ??= commandLabel(words);
      if (name !== "exec" && name !== "discard") return undefined;
      const parts = this.#transaction;
      this.#transaction = undefined;
      this.#answers.push(parts.length);
      const label = this.#label === undefined ? undefined : `multi ${this.#label}`;
      return { bytes: Buffer.concat(parts), isTrip: true, label };
    }
    if (pushed.has(name)) return { bytes: command, isTrip: false };
    this.#answers.push(1);
    return { bytes: command, isTrip: true, label: commandLabel(words) };
  }

  replies(bytes: Buffer): Reply[] {
    this.#received = Buffer.concat([this.#received, bytes]);
    const found: Reply[] = [];
    while (this.#received.length > 0) {
      const end = endOf(this.#received, 0);
      if (end < 0) break;
      const reply = this.#received.subarray(0, end);
      this.#received = this.#received.subarray(end);
      if (reply[0] === ">".charCodeAt(0)) {
        const [kind = "", channel = ""] = wordsOf(reply, 2);
        found.push({ bytes: reply, ends: false, pushed: `${kind}d ${keyKind(channel)}` });
      } else found.push({ bytes: reply, ends: this.#isLast() });
    }
    return found;
  }

  /** Counts one answer of the oldest round trip. */
  #isLast(): boolean {
    const left = (this.#answers[0] ?? 1) - 1;
    if (left > 0) this.#answers[0] = left;
    else this.#answers.shift();
    return left <= 0;
  }
}
