import { setTimeout as sleep } from "node:timers/promises";

/** What a collection has found to be free may hold more, which the next one finds. */
const collections = 4;
const pauseMs = 50;

/** Answers SIGHUP by a line: bytes in use on the heap and beside it after full collections. */
export function tellBytesInUse(): void {
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
