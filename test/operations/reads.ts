import type { Exchange } from "./capture.ts";
import { absent, type Node } from "./nodes.ts";

type Holder = Readonly<Record<string, unknown>>;

/** Records which members of its replies a call reads, or only looks for. */
export class Reads {
  readonly #read = new Map<object, Set<PropertyKey>>();

  /** The same replies; a call that runs on them is recorded. */
  recording(exchanges: readonly Exchange[]): Exchange[] {
    return exchanges.map((exchange) => ({
      ...exchange,
      reply: { ...exchange.reply, body: this.#recorded(exchange.reply.body) },
    }));
  }

  /**
   * Whether `value` at this place may change the recorded call. Without a read of the place the call runs
   * on exactly the values that it had, so its answer is the same.
   */
  matters(exchanges: readonly Exchange[], { exchange, steps }: Node, value: unknown): boolean {
    let holder: unknown = exchanges[exchange]?.reply.body;
    for (const [depth, step] of steps.entries()) {
      // The places in a text of JSON are read with the text.
      if (typeof holder !== "object" || holder === null) return true;
      const read = this.#read.get(holder);
      // A removed entry of a list moves the entries after it.
      const moves = value === absent && depth === steps.length - 1 && Array.isArray(holder);
      if (!read || (!moves && !read.has(String(step)))) return false;
      if (moves) return true;
      holder = (holder as Holder)[step];
    }
    return true;
  }

  #recorded(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    const read = this.#read.get(value) ?? new Set();
    this.#read.set(value, read);
    const copies = new Map<PropertyKey, unknown>();
    // A copy as the target, because a proxy of a frozen object must return its very members.
    const target = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
    return new Proxy(target, {
      get: (_, name, receiver) => {
        read.add(name);
        if (!copies.has(name))
          copies.set(name, this.#recorded(Reflect.get(target, name, receiver)));
        return copies.get(name);
      },
      has: (_, name) => {
        read.add(name);
        return Reflect.has(target, name);
      },
      getOwnPropertyDescriptor: (_, name) => {
        read.add(name);
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
      ownKeys: () => {
        for (const name of Object.keys(value)) read.add(name);
        return Reflect.ownKeys(target);
      },
    });
  }
}
