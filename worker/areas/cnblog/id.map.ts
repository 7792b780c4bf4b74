const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The number behind a post's short form: groups of four characters from the right stand for seven digits each. */
export function postNumber(given: string): string {
  if (/^[0-9]{15,17}$/.test(given)) return given;
  const groups: string[] = [];
  for (let end = given.length; end > 0; end -= 4) {
    const group = given.slice(Math.max(0, end - 4), end);
    const value = Array.from(group).reduce((sum, letter) => sum * 62 + digits.indexOf(letter), 0);
    groups.unshift(String(value));
  }
  return groups.map((group, index) => (index === 0 ? group : group.padStart(7, "0"))).join("");
}
