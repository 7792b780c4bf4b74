import { providers } from "./providers.ts";
import { startSimulator } from "./simulator.ts";

/**
 * The simulator as a process of its own: prints its address, ends on SIGTERM. Optional argument:
 * port.
 */
const simulator = await startSimulator(providers, { port: Number(process.argv[2] ?? 0) });
process.stdout.write(`${simulator.url}\n`);
process.once("SIGTERM", () => {
  void simulator.stop().then(() => process.exit(0));
});
// The end of the parent closes this pipe, so that no simulator outlives its test.
process.stdin.on("end", () => process.exit(0)).resume();
