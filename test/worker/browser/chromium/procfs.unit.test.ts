import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants, getPriority } from "node:os";
import { expect, test } from "vitest";
import { heavyNice } from "../../../../worker/browser/chromium/cpu-scheduler.ts";
import { typeOf } from "../../../../worker/browser/chromium/procfs.ts";
import { RendererFinder } from "../../../../worker/browser/chromium/renderer-finder.ts";
import { defaultNice } from "../../../../worker/config.ts";

/** Starts a copy of itself under its own name, which becomes a renderer once it receives input. */
const copying = `(read -r _; exec bash -c 'read -r _' bash "--type=$BECOMES") <&0 & echo $!; wait`;

test.runIf(process.platform === "linux")(
  "a renderer first seen under its parent's name is found under its own",
  async () => {
    const zygote = spawn("bash", ["-c", copying, "zygote", "--type=zygote"], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, BECOMES: "renderer" },
    });
    try {
      const [line] = (await once(zygote.stdout, "data")) as [Buffer];
      const copy = Number(String(line));
      expect([typeOf(zygote.pid as number), typeOf(copy)]).toEqual(["zygote", "zygote"]);
      const finder = new RendererFinder();
      expect(finder.find([process.pid])).toEqual([]);
      zygote.stdin.write("go\n");
      await expect.poll(() => typeOf(copy)).toBe("renderer");
      await expect.poll(() => finder.find([process.pid])).toEqual([copy]);
    } finally {
      zygote.stdin.end();
      await once(zygote, "close");
    }
  },
);

const lowest = constants.priority.PRIORITY_LOW;

/** Niceness of a usual and of a heavy page's process in a worker of this niceness. */
async function nicenessOfPages(nice: number): Promise<number[]> {
  const script = `
    import { spawn } from "node:child_process";
    import { getPriority, setPriority } from "node:os";
    import { lowerPriority } from ${JSON.stringify(new URL("../../../../worker/browser/chromium/procfs.ts", import.meta.url).href)};
    setPriority(Math.max(${nice}, getPriority()));
    const pages = [5, ${heavyNice}].map((steps) => {
      const page = spawn("sleep", ["60"], { stdio: "ignore" });
      lowerPriority([String(page.pid)], steps);
      return page;
    });
    console.log(JSON.stringify(pages.map(({ pid }) => getPriority(pid))));
    for (const page of pages) page.kill();`;
  const worker = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(worker.stdout, "data")) as [Buffer];
  await once(worker, "close");
  return JSON.parse(String(line)) as number[];
}

test("pages are as many steps behind their browser in a worker that has raised its own niceness", async () => {
  for (const nice of [0, defaultNice]) {
    // A run of tests with a niceness of its own passes it on.
    const own = Math.max(nice, getPriority());
    const behind = [5, heavyNice].map((steps) => Math.min(lowest, own + steps));
    expect(await nicenessOfPages(nice)).toEqual(behind);
  }
  expect(defaultNice + heavyNice).toBeLessThanOrEqual(lowest);
});
