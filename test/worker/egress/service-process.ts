import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { until } from "../../gateway.ts";
import { compileCache } from "../../process.ts";
import { freePort } from "../../redis-server.ts";

/** The egress service beside workers without a way out of their own. */
export interface EgressService {
  /** "host:port". */
  address: string;
  kill(): Promise<void>;
}

/** `allow` names inside addresses that it may reach. */
export async function startEgressService(allow: string): Promise<EgressService> {
  const port = await freePort();
  const service = spawn(process.execPath, ["worker/egress/main.ts"], {
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: compileCache,
      PORT: String(port),
      HOST: "127.0.0.1",
      EGRESS_ALLOW: allow,
    },
    stdio: "ignore",
  });
  await until(() =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      (response) => response.ok,
      () => false,
    ),
  );
  return {
    address: `127.0.0.1:${port}`,
    async kill() {
      if (service.exitCode !== null || service.signalCode !== null) return;
      const gone = once(service, "exit");
      service.kill("SIGKILL");
      await gone;
    },
  };
}
