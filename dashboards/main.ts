import { createApp } from "./app.ts";
import { readConfig, type Config } from "./config.ts";

/** After this time a stop ends the process by force. */
const stopLimitMs = 5_000;

function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}

const config = configOrExit();
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

try {
  await app.listen({ port: config.port, host: config.host });
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = code === "EADDRINUSE" ? `port ${config.port} is in use` : message;
  console.error(`The dashboards cannot listen on ${config.host}: ${reason}`);
  process.exit(1);
}
