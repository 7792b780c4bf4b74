import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../imports.ts";
import type { Protocol, Reply, Request } from "./store-relay.ts";

/** Postgres's messages: a round trip is all that is sent up to a Sync, and ends with ReadyForQuery. */

/** Names of the product's SQL functions. */
export const sqlFunctions: ReadonlySet<string> = new Set(
  globSync("db/functions/*.sql", { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/create or replace function (\w+)/g)].map(
      ([, name]) => name as string,
    ),
  ),
);

const changes = /\b(insert into|update|delete from|from|join) "?([a-z_]+)"?(?!\w*\()/g;
/** Words behind such a verb that name no table. */
const noTables = new Set(["lateral", "rows", "select", "set", "skip"]);

const definitions = /\b(create|alter|drop) (or replace |unique )?(function|table|index)\b/;

/** The SQL function of a statement, or else its tables in their order. */
export function statementLabel(text: string): string | undefined {
  const plain = text.replace(/\s+/g, " ").trim();
  if (/^(begin|commit|rollback)\b/.test(plain)) return plain.split(/\W/, 1)[0];
  if (definitions.test(plain)) return "schema";
  const called = [...plain.matchAll(/\b(\w+)\(/g)].map(([, name]) => name as string);
  const functions = called.filter((name) => sqlFunctions.has(name));
  if (functions.length > 0) return [...new Set(functions)].join("+");
  const own = new Set(
    [...plain.matchAll(/\b(\w+) as (?:materialized )?\(/g)].map(([, name]) => name),
  );
  const tables = [...plain.matchAll(changes)]
    .filter(([, , table = ""]) => table.length > 1 && !own.has(table) && !noTables.has(table))
    .map(([, verb, table]) => `${verb === "join" ? "from" : verb} ${table}`);
  if (tables.length > 0) return [...new Set(tables)].slice(0, 4).join(", ");
  // A look at the clock, or at the server's settings.
  return plain.includes("clock_timestamp") ? "clock" : undefined;
}

const textAt = (bytes: Buffer, from: number): string =>
  bytes.toString("utf8", from, bytes.indexOf(0, from));

export class PostgresProtocol implements Protocol {
  #sent: Buffer = Buffer.alloc(0);
  #received: Buffer = Buffer.alloc(0);
  #group: Buffer[] = [];
  #isStarted = false;
  /** Statements that this connection has prepared. */
  readonly #prepared = new Map<string, string>();
  #label: string | undefined;

  requests(bytes: Buffer): Request[] {
    this.#sent = Buffer.concat([this.#sent, bytes]);
    const found: Request[] = [];
    for (;;) {
      // The first message of a connection has no type.
      const head = this.#isStarted ? 1 : 0;
      if (this.#sent.length < head + 4) return found;
      const end = head + this.#sent.readUInt32BE(head);
      if (this.#sent.length < end) return found;
      const message = this.#sent.subarray(0, end);
      this.#sent = this.#sent.subarray(end);
      const request = this.#isStarted ? this.#taken(message) : { bytes: message, isTrip: false };
      this.#isStarted = true;
      if (request) found.push(request);
    }
  }

  /** Messages stay together up to a Sync, or a Flush, after which the client waits. */
  #taken(message: Buffer): Request | undefined {
    const type = String.fromCharCode(message[0] as number);
    this.#group.push(message);
    if (type === "P") {
      const name = textAt(message, 5);
      const text = textAt(message, 6 + Buffer.byteLength(name));
      this.#prepared.set(name, text);
      this.#label = statementLabel(text);
    } else if (type === "B") {
      const portal = textAt(message, 5);
      const text = this.#prepared.get(textAt(message, 6 + Buffer.byteLength(portal)));
      this.#label = text === undefined ? undefined : statementLabel(text);
    } else if (type === "Q") this.#label = statementLabel(textAt(message, 5));
    if (type === "B" || type === "P" || type === "D" || type === "E" || type === "C")
      return undefined;
    const bytes = Buffer.concat(this.#group.splice(0));
    return type === "S" || type === "Q"
      ? { bytes, isTrip: true, label: this.#label }
      : { bytes, isTrip: false };
  }

  replies(bytes: Buffer): Reply[] {
    this.#received = Buffer.concat([this.#received, bytes]);
    const found: Reply[] = [];
    while (this.#received.length >= 5) {
      const end = 1 + this.#received.readUInt32BE(1);
      if (this.#received.length < end) break;
      const message = this.#received.subarray(0, end);
      this.#received = this.#received.subarray(end);
      found.push({ bytes: message, ends: message[0] === "Z".charCodeAt(0) });
    }
    return found;
  }
}
