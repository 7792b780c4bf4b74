import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { GatewayError } from "../../../contract/errors.ts";
import { browser } from "../../../contract/areas/browser/index.ts";
import { web } from "../../../contract/areas/web/index.ts";
import { startBrowser } from "../../../worker/browser/chromium/pool.ts";
import type { BrowserConfig, BrowserPool } from "../../../worker/browser/chromium/pool.ts";
import type { Call, Connector } from "../../../worker/connector.ts";
import { browserConnector } from "../../../worker/areas/browser/handlers.ts";
import { createSiteFetch } from "../../../worker/transport/site.ts";
import { Documents } from "../../../worker/documents/documents.ts";
import { webConnector } from "../../../worker/areas/web/handlers.ts";

/** Allows every destination, to prove that a decoy listens. */
export const noSsrfFilter = { egressAllow: ["0.0.0.0/0", "::/0"], egressPorts: [] };

/** The operations that a browser worker serves. */
type Served = Connector<typeof browser> & Connector<typeof web>;

/** A real Chromium with the connectors of its worker on top. */
export interface Rig {
  pool: BrowserPool;
  run: <Id extends keyof Served>(
    id: Id,
    input: object,
    options?: {
      tenant?: string;
      signal?: AbortSignal;
      deadlineMs?: number;
      mode?: "live" | "test";
    },
  ) => Promise<RunData<Id>>;
  /** The GatewayError of a failed call; fails the test when it succeeds. */
  failure(id: keyof Served, input: object): Promise<GatewayError>;
  close(): Promise<void>;
}
type RunData<Id extends keyof Served> = Awaited<ReturnType<Served[Id]>>["data"];

/** The browser under test, and how this user starts it. */
export function chromium() {
  const kind = process.env["TEST_BROWSER_KIND"];
  const ofKind = kind && process.env[`TEST_BROWSER_${kind}`];
  const { executablePath, launcher } = (
    ofKind
      ? JSON.parse(ofKind)
      : {
          executablePath: process.env["TEST_CHROMIUM"],
          launcher: JSON.parse(process.env["TEST_CHROMIUM_LAUNCHER"] ?? "[]"),
        }
  ) as { executablePath: string; launcher: string[] };
  // A user mapped to root in a namespace needs root's way of starting it.
  const asRoot = ["unshare", "--user", "--map-user=1000", "--map-group=1000"];
  const isMapped = process.getuid?.() === 0 && launcher[0] !== "unshare";
  return {
    executablePath,
    launcher: isMapped ? [...asRoot, ...launcher] : launcher,
    sandbox: true,
  };
}

export async function startRig(config: Partial<BrowserConfig> = {}): Promise<Rig> {
  const pool = await startBrowser({
    ...chromium(),
    egressAllow: [],
    slots: 4,
    // Tests that end or inspect a browser need to know which one.
    browsers: 1,
    // Most tests only wait for the end of this time.
    overLimitMs: 300,
    ...config,
  });
  const fetchSite = createSiteFetch({ egressAllow: [], ...config });
  const documents = new Documents();
  const connector: Served = {
    ...browserConnector(pool, { fetchSite, documents }),
    ...webConnector(pool, fetchSite, documents),
  };
  const run: Rig["run"] = async (id, input, options = {}) => {
    const operation = [...browser.operations, ...web.operations].find(
      (candidate) => candidate.id === id,
    );
    if (!operation) throw new Error(`no operation ${id}`);
    const parsed = operation.input.parse(input);
    const ms = options.deadlineMs ?? 70_000;
    const call: Call = {
      requestId: "test",
      operation: id,
      mode: options.mode ?? "live",
      scenario: undefined,
      tenant: options.tenant ?? "tenant-a",
      account: options.tenant ?? "tenant-a",
      signal: options.signal ?? AbortSignal.timeout(ms),
      deadline: Date.now() + ms,
      startedAt: Date.now(),
      maxRecords: 1,
      shortOfCredits: false,
      cursor: undefined,
      send: () => Promise.reject(new Error("the browser area sends nothing upstream")),
      fetchFor: () => () => Promise.reject(new Error("the browser area sends nothing upstream")),
      standingOf: () => Promise.resolve("ready"),
      log: () => undefined,
    };
    const answer = await connector[id](parsed as never, call);
    operation.data.parse(answer.data);
    return answer.data as RunData<typeof id>;
  };
  return {
    pool,
    run,
    async failure(id, input) {
      const outcome = await run(id, input).then(
        (data) => new Error(`expected a failure, got ${JSON.stringify(data).slice(0, 300)}`),
        (error: unknown) => error as GatewayError,
      );
      if (outcome.name !== "GatewayError") throw outcome;
      return outcome as GatewayError;
    },
    close: () => pool.close(),
  };
}

export interface Site {
  /** Without a final slash. */
  origin: string;
  host: string;
  port: number;
  /** Requested paths, in order. */
  hits: string[];
  close(): Promise<void>;
}

/** A local HTTP server; `answer` sees every request. */
export async function startSite(
  answer: RequestListener,
  address = "127.0.0.1",
  port = 0,
): Promise<Site> {
  const hits: string[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    hits.push(request.url ?? "");
    answer(request, response);
  });
  // A decoy counts as reached even by a bare connection.
  server.on("connection", () => hits.push("connection"));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  const host = address.includes(":") ? `[${address}]` : address;
  return {
    origin: `http://${host}:${bound}`,
    host: address,
    port: bound,
    hits,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export const html = (response: ServerResponse, body: string, status = 200): void => {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" });
  response.end(body);
};

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Waits until only the ready contexts are left: no earlier job can send anything more. */
export async function settled({ pool }: Rig): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 50) {
    const { contexts, spare } = pool.counts();
    if (contexts === spare) return;
    await pause(50);
  }
  throw new Error(`contexts left: ${JSON.stringify(pool.counts())}`);
}
