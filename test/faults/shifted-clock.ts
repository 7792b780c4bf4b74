/** Loaded before a process: its clock is as many milliseconds off as CLOCK_SHIFT_MS says. */
const shift = Number(process.env["CLOCK_SHIFT_MS"] ?? 0);
const real = Date.now;
Date.now = () => real() + shift;
