import { createHash } from "node:crypto";
import { fractions } from "../random.ts";

type Json = { readonly [name: string]: unknown };

interface Habit {
  rate: number;
  by: "absence" | "null";
}

/** Most entries of a varied list. */
const mostEntries = 5;

/**
 * Valid answers that differ as an upstream's do: some fields are optional or null at times, each at a rate of
 * its own; lists have other lengths; texts and numbers have other values.
 */
export class Variety {
  readonly #body: unknown;
  readonly #seed: string;
  readonly #random: () => number;
  readonly #keeps: RegExp | undefined;
  readonly #habits = new Map<string, Habit>();

  /** `keeps`: names of members that stay as they are, such as an upstream's own status. */
  constructor(body: unknown, seed: string, keeps?: RegExp) {
    this.#body = body;
    this.#keeps = keeps;
    this.#seed = seed;
    this.#random = fractions(`variety of ${seed}`);
  }

  answer(): unknown {
    return this.#vary(this.#body, "");
  }

  /** The answer with the fields that mostly come, in lists of one entry. */
  usual(): unknown {
    return this.#usual(this.#body, "");
  }

  /** How a field behaves: always there, seldom or often absent, or null at times. */
  #habit(path: string): Habit {
    const known = this.#habits.get(path);
    if (known) return known;
    const [first = 0, second = 0, third = 0] = createHash("sha256")
      .update(`${this.#seed} ${path}`)
      .digest();
    const rate =
      first < 150 ? 0 : first < 230 ? 0.02 + (second / 256) * 0.4 : 0.4 + (second / 256) * 0.59;
    const habit = { rate, by: third < 180 ? "absence" : "null" } as const;
    this.#habits.set(path, habit);
    return habit;
  }

  #vary(value: unknown, path: string): unknown {
    if (typeof value === "string")
      return value === "" ? "" : `${value}${Math.floor(this.#random() * 10)}`;
    if (typeof value === "number") return value + Math.floor(this.#random() * 10);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      if (value.length === 0) return value;
      // Some lists are empty at times.
      const least = this.#habit(`${path} empty`).rate > 0.4 && this.#random() < 0.2 ? 0 : 1;
      const length =
        least === 0 ? 0 : 1 + Math.floor(this.#random() * Math.min(mostEntries, value.length * 2));
      return Array.from({ length }, (_, index) =>
        this.#vary(value[index % value.length], `${path}[]`),
      );
    }
    const made: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(value as Json)) {
      if (this.#keeps?.test(name) && (typeof inner !== "object" || inner === null)) {
        made[name] = inner;
        continue;
      }
      const { rate, by } = this.#habit(`${path}.${name}`);
      if (this.#random() >= rate) made[name] = this.#vary(inner, `${path}.${name}`);
      else if (by === "null") made[name] = null;
    }
    return made;
  }

  #usual(value: unknown, path: string): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      if (value.length === 0 || this.#habit(`${path} empty`).rate > 0.4) return [];
      return [this.#usual(value[0], `${path}[]`)];
    }
    const usual = Object.entries(value as Json).filter(
      ([name]) => this.#habit(`${path}.${name}`).rate < 0.25,
    );
    return Object.fromEntries(
      usual.map(([name, inner]) => [name, this.#usual(inner, `${path}.${name}`)]),
    );
  }
}
