import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpackByApt } from "../local/system-packages.ts";
import { full } from "./faults/full.ts";

export interface Promtool {
  /** Runs it in a folder and returns its output; throws when it fails. */
  run(args: readonly string[], cwd: string): string;
  stop(): void;
}

const works = (program: string) => spawnSync(program, ["--version"]).status === 0;

/** This machine's promtool; at full length Debian's package "prometheus" where there is none. */
export async function findPromtool(): Promise<Promtool | undefined> {
  if (works("promtool")) return promtool("promtool", () => undefined);
  if (full) {
    const folder = fs.mkdtempSync(join(tmpdir(), "gateway-promtool-"));
    const unpacked = await unpackByApt("prometheus", folder).catch(() => undefined);
    const program = join(unpacked ?? folder, "usr", "bin", "promtool");
    if (works(program)) return promtool(program, () => fs.rmSync(folder, { recursive: true }));
    fs.rmSync(folder, { recursive: true, force: true });
  }
  process.stderr.write("\n!!! NOT TESTED: there is no promtool here (package prometheus)\n\n");
  return undefined;
}

function promtool(program: string, stop: () => void): Promtool {
  return {
    run(args, cwd) {
      const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
      if (status !== 0) throw new Error(`promtool ${args.join(" ")}:\n${stdout}${stderr}`);
      return stdout + stderr;
    },
    stop,
  };
}
