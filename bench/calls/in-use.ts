/** Answers SIGHUP by a line: bytes in use on the heap and beside it after a full collection. */
export function tellBytesInUse(): void {
  process.on("SIGHUP", () => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    process.stdout.write(`${heapUsed + external}\n`);
  });
}
