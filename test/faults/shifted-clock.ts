import { readFileSync, statSync } from "node:fs";

/**
 * Loaded before a process: its clock is as many milliseconds off as CLOCK_SHIFT_MS says, and is stepped by
 * as many as the file CLOCK_STEP_FILE comes to hold, as a time server steps it under a running process.
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
// A clock that was wrong from the beginning was so when the process began; one that is stepped was right.
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
