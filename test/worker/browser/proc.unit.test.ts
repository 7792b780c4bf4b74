import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { rendererFinder, typeOf } from "../../../worker/browser/proc.ts";

/** Has a copy of itself, named as itself, that becomes a renderer once it is written to. */
const copying = `(read -r _; exec bash -c 'read -r _' bash "--type=$BECOMES") <&0 & echo $!; wait`;

test.runIf(process.platform === "linux")(
  "a renderer that was seen before it had its own name is found once it has",
  async () => {
    const zygote = spawn("bash", ["-c", copying, "zygote", "--type=zygote"], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, BECOMES: "renderer" },
    });
    try {
      const [line] = (await once(zygote.stdout, "data")) as [Buffer];
      const copy = Number(String(line));
      expect([typeOf(zygote.pid as number), typeOf(copy)]).toEqual(["zygote", "zygote"]);
      const find = rendererFinder();
      expect(find([process.pid])).toEqual([]);
      zygote.stdin.write("go\n");
      await expect.poll(() => typeOf(copy)).toBe("renderer");
      expect(find([process.pid])).toEqual([copy]);
    } finally {
      zygote.stdin.end();
      await once(zygote, "close");
    }
  },
);
