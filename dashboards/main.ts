import { exitFor, listenProblem, settingsOrExit } from "../runtime/settings.ts";
import { createApp } from "./app.ts";
import { readConfig } from "./config.ts";

/** After this time a stop ends the process by force. */
const stopLimitMs = 5_000;

const config = settingsOrExit(() => readConfig(process.env));
const app = await createApp(config, (objection) => {
  console.error(objection);
  process.exit(1);
});
let stopping = false;

async function stop(): Promise<void> {
  if (stopping) process.exit(1);
  stopping = true;
  setTimeout(() => process.exit(1), stopLimitMs).unref();
  await app.close();
  process.exit(0);
}

process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());

await app
  .listen({ port: config.port, host: config.host })
  .catch((error: unknown) =>
    exitFor(
      listenProblem(error, ["DASHBOARDS_HOST", config.host], ["DASHBOARDS_PORT", config.port]),
    ),
  );
