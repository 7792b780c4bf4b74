import { findInPath, run } from "./process.ts";

/** One character of each script that Debian's standard fonts lack, by the script's name. */
export const fontSamples = {
  Chinese: "漢",
  Japanese: "ぬ",
  Korean: "한",
  Devanagari: "क",
  Bengali: "ক",
  Tamil: "க",
  Thai: "ก",
  Khmer: "ក",
  Ethiopic: "አ",
  Hebrew: "א",
  Arabic: "ع",
  emoji: "😀",
};

export const boxesInPlaceOf = (scripts: readonly string[]): string =>
  `Screenshots show boxes in place of ${scripts.join(", ")}: install fonts (Debian: apt-get install fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji), then restart the workers.`;

/** The scripts for which fontconfig knows no font; none where its program is missing. */
export async function scriptsWithoutFont(): Promise<string[]> {
  const list = findInPath("fc-list");
  if (list === undefined) return [];
  const found = await Promise.all(
    Object.entries(fontSamples).map(async ([script, sample]) => {
      const charset = sample.codePointAt(0)?.toString(16);
      const { ok, stdout } = await run({ argv: [list, `:charset=${charset}`, "file"] }, 5000);
      return ok && stdout.trim() === "" ? [script] : [];
    }),
  );
  return found.flat();
}
