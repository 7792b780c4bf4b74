import { hash } from "node:crypto";

/** Realistic values that are always the same for the same seed. */
export interface Vary {
  /** A whole number from `least` to `most`. */
  int(name: string, least: number, most: number): number;
  pick<T>(name: string, from: readonly T[]): T;
  /** `length` digits without a leading 0. */
  digits(name: string, length: number): string;
  /** `length` characters of the base64url alphabet. */
  token(name: string, length: number): string;
}

export function vary(...seed: (string | number)[]): Vary {
  const start = seed.map((part) => `${part}\0`).join("");
  // A hash as text costs a quarter of one as a Buffer, and a long list needs thousands.
  const hex = (name: string) => hash("sha256", start + name, "hex");
  const fraction = (name: string) => Number.parseInt(hex(name).slice(0, 12), 16) / 2 ** 48;
  return {
    int: (name, least, most) => least + Math.floor(fraction(name) * (most - least + 1)),
    pick: (name, from) => from[Math.floor(fraction(name) * from.length)] as (typeof from)[number],
    digits(name, length) {
      const digits = BigInt(`0x${hex(name)}`)
        .toString()
        .slice(0, length - 1);
      return `${1 + Math.floor(fraction(`${name}:first`) * 9)}${digits.padEnd(length - 1, "7")}`;
    },
    token: (name, length) =>
      hash("sha256", start + name, "base64url")
        .repeat(4)
        .slice(0, length),
  };
}

/** Rows `offset` to `offset + count` of a list of `total`, made one by one. */
export function slice<T>(
  list: { total: number; offset: number; count: number },
  make: (index: number) => T,
): T[] {
  const length = Math.max(0, Math.min(list.count, list.total - list.offset));
  return Array.from({ length }, (_, index) => make(list.offset + index));
}
