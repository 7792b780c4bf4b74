const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const largest = 2n ** 64n;
/** Longer codes belong to private accounts: the rest is a key, not part of the number. */
const codeLength = 11;

/** The number of a post from its shortcode; undefined beyond 64 bits. */
export function mediaIdOf(shortcode: string): string | undefined {
  let number = 0n;
  for (const letter of shortcode.slice(0, codeLength)) {
    const digit = alphabet.indexOf(letter);
    if (digit < 0) return undefined;
    number = number * 64n + BigInt(digit);
  }
  return number < largest ? number.toString() : undefined;
}

/** The shortcode of a post from its number, which may have `_` and the owner's number behind it; undefined beyond 64 bits. */
export function shortcodeOf(mediaId: string): string | undefined {
  const digits = mediaId.split("_", 1)[0] as string;
  if (!/^[0-9]{1,25}$/.test(digits)) return undefined;
  let number = BigInt(digits);
  if (number >= largest) return undefined;
  let code = "";
  do {
    code = `${alphabet[Number(number % 64n)]}${code}`;
    number /= 64n;
  } while (number > 0n);
  return code;
}
