/**
 * Unix time in milliseconds from the process's monotonic clock, so that setting the machine's clock
 * shortens no span and delays no deadline. Times that are shown or outlive the process use `Date.now`
 * or the clock of a store (clock.ts).
 */
export const monotonicNow = (): number => Math.floor(performance.timeOrigin + performance.now());
