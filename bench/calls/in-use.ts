import { setTimeout as sleep } from "node:timers/promises";

/** Objects freed by one collection may release others, so collect several times. */
const collections = 4;
const pauseMs = 50;

/** On SIGHUP, prints the bytes in use on the heap and outside it after full collections. */
export function reportBytesInUse(): void {
  process.on("SIGHUP", () => {
    void (async () => {
      for (let round = 0; round < collections; round += 1) {
        globalThis.gc?.();
        await sleep(pauseMs);
      }
      const { heapUsed, external } = process.memoryUsage();
      process.stdout.write(`${heapUsed + external}\n`);
    })();
  });
}
