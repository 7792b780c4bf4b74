import { choices } from "../../random.ts";

/** 200 personal values: twenty of each kind. */
export function planted(): (string | number)[] {
  const choose = choices("planted");
  const letters = (count: number) =>
    Array.from({ length: count }, () => String.fromCharCode(97 + choose(26))).join("");
  const name = () => letters(7).replace(/^./, (first) => first.toUpperCase());
  const digits = (count: number) => String(choose(10 ** (count - 1), 10 ** count));
  const kinds: (() => string | number)[] = [
    () => `${name()} ${name()}`,
    () => `${letters(8)}.${letters(6)}@${letters(9)}.org`,
    () => `+1 ${digits(3)}-555-${digits(4)}`,
    () => `@${letters(9)}_${digits(3)}`,
    () => `https://${letters(8)}.example.com/u/${letters(10)}?id=${digits(9)}`,
    () => `${digits(3)} ${name()} Street, ${name()} ${digits(5)}`,
    () => `7${digits(18)}`,
    () => Number(digits(9)),
    () =>
      `1${choose(950, 999)}-0${choose(1, 9)}-${choose(29, 31)}T${choose(10, 23)}:${choose(10, 59)}:07Z`,
    () => `sk_live_${letters(12)}${digits(8)}`,
  ];
  return Array.from({ length: 200 }, (_, index) => (kinds[index % 10] as () => string | number)());
}
