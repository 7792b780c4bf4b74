import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { confinementOf } from "../worker/browser/chromium/confinement.ts";
import { confining } from "../worker/browser/chromium/flags.ts";

/** The result of a launch: the product that rendered a page, or what went wrong. */
export type Verdict = { product: string } | { complaint: string; unconfined?: string[] };

const page = "data:text/html,<body><script>document.body.append('ren'+'dered')</script>";
const trialMs = 20_000;

interface Message {
  id?: number;
  result?: {
    targetId?: string;
    sessionId?: string;
    product?: string;
    result?: { value?: string };
  };
  error?: { message: string };
}

/** The browser's debugging protocol over its pipe: JSON texts that end in a NUL. */
function connect(output: Writable, input: Readable) {
  const waiting = new Map<number, (message: Message) => void>();
  let last = 0;
  let rest = "";
  output.on("error", () => {});
  input.on("error", () => {});
  input.setEncoding("utf8");
  input.on("data", (text: string) => {
    const parts = (rest + text).split("\0");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const message = JSON.parse(part) as Message;
      if (message.id !== undefined) waiting.get(message.id)?.(message);
    }
  });
  return (method: string, params: object, sessionId?: string) =>
    new Promise<NonNullable<Message["result"]>>((done, fail) => {
      const id = ++last;
      waiting.set(id, ({ result, error }) =>
        error ? fail(new Error(error.message)) : done(result ?? {}),
      );
      output.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
}

async function render(send: ReturnType<typeof connect>): Promise<Verdict> {
  const { targetId } = await send("Target.createTarget", { url: page });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const giveUpAt = performance.now() + trialMs;
  while (performance.now() < giveUpAt) {
    const expression = "document.body ? document.body.innerText : ''";
    const { result } = await send("Runtime.evaluate", { expression }, sessionId);
    if (result?.value?.includes("rendered")) {
      return { product: (await send("Browser.getVersion", {})).product ?? "" };
    }
    await new Promise((done) => setTimeout(done, 20));
  }
  return { complaint: "it started but rendered nothing" };
}

async function judge(
  verdict: Verdict,
  pid: number | undefined,
  withinMs: number | undefined,
): Promise<Verdict> {
  const confinement = pid === undefined ? "unknown" : await confinementOf(pid, withinMs);
  if (confinement === "unknown" || confinement.unconfined.length === 0) return verdict;
  const { unconfined } = confinement;
  const complaint = `it has no sandbox for ${unconfined.join(", ")}: look for a wrapper that adds --no-sandbox`;
  return { complaint, unconfined };
}

/**
 * Starts a browser and renders a page. With `sandbox` a browser fails the trial where one of its processes is
 * not confined within `confinedWithinMs` although the kernel could confine it.
 */
export async function tryChromium(
  argv: string[],
  sandbox: boolean,
  confinedWithinMs?: number,
): Promise<Verdict> {
  const profile = fs.mkdtempSync(join(tmpdir(), "gateway-chromium-"));
  const [program = "", ...args] = [
    ...argv,
    "--headless",
    "--no-first-run",
    "--disable-dev-shm-usage",
    `--user-data-dir=${profile}`,
    "--remote-debugging-pipe",
    ...confining,
    ...(sandbox ? [] : ["--no-sandbox"]),
    "about:blank",
  ];
  const child = spawn(program, args, {
    cwd: tmpdir(),
    env: { ...process.env, BREAKPAD_DUMP_LOCATION: join(profile, "crashes") },
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-2000);
  });
  const ended = new Promise<Verdict>((done) => {
    child.once("error", (error) => done({ complaint: error.message }));
    child.once("close", () =>
      done({ complaint: complaint.trim().split("\n").slice(-3).join("\n") }),
    );
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Verdict>((done) => {
    timer = setTimeout(
      () => done({ complaint: `it did not answer within ${trialMs / 1000} s` }),
      trialMs,
    );
  });
  try {
    const send = connect(child.stdio[3] as Writable, child.stdio[4] as Readable);
    const rendered = render(send).catch((error: Error): Verdict => ({ complaint: error.message }));
    const examined = rendered.then((verdict) =>
      sandbox && "product" in verdict ? judge(verdict, child.pid, confinedWithinMs) : verdict,
    );
    const verdict = await Promise.race([examined, ended, late]);
    // Browser.close also ends the browser's child processes.
    if (child.exitCode === null) void send("Browser.close", {}).catch(() => {});
    return verdict;
  } finally {
    clearTimeout(timer);
    const kill = setTimeout(() => child.kill("SIGKILL"), 3000);
    await ended;
    clearTimeout(kill);
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
