/**
 * Unix time in milliseconds as this process has counted it since its start: a machine whose clock is set
 * meanwhile ends no span early and no deadline late. What is shown, or means the same moment after a
 * restart, goes by `Date.now` or by the clock of a store (clock.ts).
 */
export const steadyNow = (): number => Math.floor(performance.timeOrigin + performance.now());
