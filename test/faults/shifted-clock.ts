import { readFileSync, statSync } from "node:fs";

/**
 * Loaded before a process: shifts its clock by CLOCK_SHIFT_MS milliseconds, and steps it by the
 * number in the file CLOCK_STEP_FILE, like a time server under a running process.
 */
const shift = Number(process.env["CLOCK_SHIFT_MS"] ?? 0);
const file = process.env["CLOCK_STEP_FILE"];
let step = 0;

const Real = Date;
const now = () => Real.now() + shift + step;
globalThis.Date = new Proxy(Real, {
  construct: (_target, args: readonly unknown[]) =>
    Reflect.construct(Real, args.length === 0 ? [now()] : args) as Date,
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
// A clock that is wrong from the start was wrong at the process's start; one that is stepped was
// right.
const origin = performance.timeOrigin + shift;
Object.defineProperty(performance, "timeOrigin", { value: origin });

if (file !== undefined) {
  let readAt = 0;
  setInterval(() => {
    const { mtimeMs } = statSync(file);
    if (mtimeMs === readAt) return;
    readAt = mtimeMs;
    step = Number(readFileSync(file, "utf8"));
    process.stderr.write(
      `${JSON.stringify({ level: "info", message: "clock stepped", ms: step })}\n`,
    );
  }, 20).unref();
}
