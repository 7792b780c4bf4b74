import * as fs from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { flag } from "../runtime/environment.ts";
import { readSettings } from "../runtime/settings.ts";
import { findInPath, run } from "./process.ts";
import { installByApt, unpackByApt } from "./system-packages.ts";

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

/** Debian's packages with fonts for these scripts: 80 MB to download. */
const packages = ["fonts-noto-core", "fonts-noto-cjk", "fonts-noto-color-emoji"];

export const boxesInPlaceOf = (scripts: readonly string[]): string =>
  `Screenshots show boxes in place of ${scripts.join(", ")}: install fonts (Debian: apt-get install ${packages.join(" ")}), then restart the workers.`;

/** Variables of the workers and their browsers that name fonts outside the system's folders. */
export type FontVariables = { FONTCONFIG_FILE?: string };

/** Variables of the download of fonts; docs/configuration.md is generated from this object. */
export const environment = z.object({
  INSTALL_FONTS: flag
    .default(true)
    .describe(
      "Whether fonts are downloaded (80 MB, Debian only) where the machine has none for the scripts of Asia, Africa or emoji.",
    ),
});

/** Whether INSTALL_FONTS lets fonts be downloaded. Throws SettingsError. */
export const installsFonts = (env: NodeJS.ProcessEnv): boolean =>
  readSettings(environment, env).INSTALL_FONTS;

/**
 * Installs fonts for the scripts that have none: as root for the whole system, otherwise below `home` for the
 * gateway's own browsers. Unless `mayInstall`, the machine is left as it is.
 */
export async function fontsPart(
  home: string,
  print: (line: string) => void,
  mayInstall: boolean,
): Promise<FontVariables> {
  const own = join(home, "fonts.conf");
  const known = fs.existsSync(own) ? { FONTCONFIG_FILE: own } : {};
  const missing = await scriptsWithoutFont(known);
  if (missing.length === 0) return known;
  if (!mayInstall || findInPath("apt-get") === undefined) {
    print(boxesInPlaceOf(missing));
    return known;
  }
  print(`No fonts for ${missing.join(", ")}; downloading them (80 MB) ...`);
  const variables = (await installByApt(...packages)) ? {} : await unpackFonts(home, own);
  const left = await scriptsWithoutFont(variables);
  if (left.length > 0) print(boxesInPlaceOf(left));
  return variables;
}

/** Unpacks the packages below `home`, with a configuration that adds them to the system's fonts. */
async function unpackFonts(home: string, file: string): Promise<FontVariables> {
  const folders: string[] = [];
  for (const name of packages) {
    const unpacked = await unpackByApt(name, join(home, name));
    if (unpacked !== undefined) folders.push(join(unpacked, "usr", "share", "fonts"));
  }
  if (folders.length === 0) return {};
  const lines = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">',
    "<fontconfig>",
    '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>',
    ...folders.map((folder) => `<dir>${folder}</dir>`),
    `<cachedir>${join(home, "cache")}</cachedir>`,
    "</fontconfig>",
  ];
  fs.writeFileSync(file, `${lines.join("\n")}\n`);
  return { FONTCONFIG_FILE: file };
}

/** The scripts for which fontconfig knows no font; none where its program is missing. */
export async function scriptsWithoutFont(variables: FontVariables = {}): Promise<string[]> {
  const list = findInPath("fc-list");
  if (list === undefined) return [];
  const found = await Promise.all(
    Object.entries(fontSamples).map(async ([script, sample]) => {
      const charset = sample.codePointAt(0)?.toString(16);
      const { ok, stdout } = await run(
        { argv: [list, `:charset=${charset}`, "file"], env: { ...process.env, ...variables } },
        5000,
      );
      return ok && stdout.trim() === "" ? [script] : [];
    }),
  );
  return found.flat();
}
