import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/**
 * Process namespaces replace containers: sh is init, and its first child the container's command.
 */
const script = join(import.meta.dirname, "../../deploy/healthcheck.ts");
const contain = [
  "unshare",
  "--user",
  "--map-root-user",
  "--pid",
  "--fork",
  "--mount",
  "--mount-proc",
];
const [program = "", ...words] = contain;
const canContain = spawnSync(program, [...words, "true"]).status === 0;
if (!canContain)
  process.stderr.write("\n!!! NOT TESTED: no process namespace can be made here\n\n");

/** State of the command after this many checks one second apart. */
async function after(checks: number, allowedSeconds: number, check: string): Promise<string> {
  const lines = [
    "sleep 1000 & main=$!",
    `for n in $(seq ${checks}); do "$0" "$1" ${allowedSeconds} "$2"; sleep 1; done`,
    // An ended command is a zombie, or gone.
    'case "$(cut -d " " -f 3 /proc/$main/stat)" in S) echo runs;; *) echo ended;; esac',
  ];
  const args = [...words, "sh", "-c", lines.join("\n"), process.execPath, script, check];
  const folder = mkdtempSync(join(tmpdir(), "gateway-health-"));
  const env = { ...process.env, TMPDIR: folder };
  try {
    const { stdout } = await promisify(execFile)(program, args, { env });
    return stdout.trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.runIf(canContain)(
  "a process that fails its check for too long is ended, one that fails briefly is not",
  async () => {
    const failing = "http://127.0.0.1:9/";
    const passing = join(import.meta.dirname, "../../contract/version.ts");
    const states = [after(2, 60, failing), after(3, 1, failing), after(3, 1, passing)];
    expect(await Promise.all(states)).toEqual(["runs", "ended", "runs"]);
  },
);
