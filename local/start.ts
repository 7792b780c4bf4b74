import type { Server } from "node:http";
import { availableParallelism } from "node:os";
import { Autoscale, defaultCeilings } from "./autoscale.ts";
import { keyFromPepper } from "../runtime/kept-answers.ts";
import { credentialsVariablesFrom } from "../runtime/own-credentials.ts";
import { SettingsError } from "../runtime/settings.ts";
import { migrate } from "../db/migrate.ts";
import { aboutChromium, findChromium } from "./chromium.ts";
import { buildClient } from "./client-package.ts";
import { fontsPart, installsFonts } from "./fonts.ts";
import { DataFolder, dataDir } from "./data-folder.ts";
import { serveDemoSite } from "./demo-site.ts";
import { firstKeys } from "./first-keys.ts";
import {
  type Parts,
  apiUrl,
  askCapacity,
  dashboardsUrl,
  extraWorkerPlan,
  gatewayPlans,
} from "./plans.ts";
import { postgresPart } from "./postgres.ts";
import { LocalProblem, messageOf } from "./problem.ts";
import { redisPart } from "./redis.ts";
import { type Settings, checkPorts, checkProcesses, readSettings, withFiles } from "./settings.ts";
import { Supervised } from "./supervisor.ts";
import type { Plan } from "./supervisor.ts";
import { noSandboxWarning, welcome } from "./welcome.ts";

/** `npm start`: starts everything on one machine, restarts what dies, and stops everything in order. */

/** npm and the terminal may both forward the same Ctrl-C. */
const sameSignalMs = 700;

const autoscales = process.argv.includes("--autoscale");

const print = (line: string) => void process.stdout.write(`${line}\n`);
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

class Start {
  private readonly interrupted = new AbortController();
  /** In the order of their stop. */
  private readonly stages: Supervised[][] = [];
  private folder: DataFolder | undefined;
  private demo: Server | undefined;
  private stopped: Promise<void> | undefined;
  private client: { stop(): void } | undefined;
  private autoscale: Autoscale | undefined;
  private readonly extras = new Set<Supervised>();

  /** Waits for a step, and throws where a stop was requested meanwhile. */
  private async step<T>(work: Promise<T>): Promise<T> {
    const result = await work;
    this.interrupted.signal.throwIfAborted();
    return result;
  }

  private supervise(plans: (Plan | undefined)[], folder: DataFolder): Supervised[] {
    return plans
      .filter((plan) => plan !== undefined)
      .map((plan) => new Supervised(plan, folder, print));
  }

  async up(given: NodeJS.ProcessEnv): Promise<void> {
    const env = withFiles(given);
    checkProcesses(env);
    const mayInstallFonts = installsFonts(env);
    const folder = await this.step(DataFolder.open(dataDir(env)));
    this.folder = folder;
    const settings = readSettings(env, folder);
    await this.step(checkPorts(settings));

    const chromiumFound = findChromium(folder.path("chromium"), { allowNoSandbox: true, env });
    // The failure is handled below; until then it must not count as unhandled.
    chromiumFound.catch(() => {});
    const redis = await this.step(redisPart(folder, print, env));
    const postgres = await this.step(postgresPart(folder, env));
    const stores = this.supervise([redis.plan, postgres.plan], folder);
    // Each store is a stage of its own: Redis stops before Postgres.
    this.stages.push(...stores.map((store) => [store]));
    for (const store of stores) store.spawn();
    await this.step(Promise.all(stores.map((store) => store.ready())));
    await this.step(migrate(postgres.url, print));
    const chromium = await this.step(chromiumFound);
    print(
      `Redis: ${redis.source}\nPostgres: ${postgres.source}\nChromium: ${aboutChromium(chromium, env)}`,
    );
    if (!chromium.sandbox) print(noSandboxWarning);
    const fonts = await this.step(
      fontsPart(folder.path("packages", "fonts"), print, mayInstallFonts),
    );

    const demoPort = await this.step(folder.port("demo"));
    this.demo = await this.step(serveDemoSite(demoPort));
    const demoAddress = `127.0.0.1:${demoPort}`;
    const parts = { databaseUrl: postgres.url, redisUrl: redis.url, chromium, demoAddress };
    const workerEnv = {
      FAILED_ANSWERS_KEY: keyFromPepper(settings.keyPepper),
      ...credentialsVariablesFrom(settings.keyPepper, env),
      ...fonts,
      ...env,
    };
    const CAPACITY_CEILINGS = defaultCeilings(availableParallelism(), env["CAPACITY_FLOORS"]);
    const plans = gatewayPlans(
      settings,
      parts,
      autoscales ? { CAPACITY_CEILINGS, ...workerEnv } : workerEnv,
    );
    const stages = plans.map((stage) => this.supervise(stage, folder));
    this.stages.unshift(...stages);
    const processes = stages.flat();
    for (const process of processes) process.spawn();
    await this.step(Promise.all(processes.map((process) => process.ready())));

    // Keys are created last, because they are shown only once.
    const keys = await this.step(
      firstKeys(
        postgres.url,
        settings.keyPepper,
        postgres.plan ? folder.path("postgres", "account-made") : undefined,
      ),
    );
    folder.announce({
      databaseUrl: postgres.url,
      redisUrl: redis.url,
      apiUrl: apiUrl(settings),
      dashboardsUrl: dashboardsUrl(settings),
    });
    print(welcome(settings, folder, keys, `http://${demoAddress}/`));
    if (autoscales) this.follow(settings, parts, folder, workerEnv);
    this.client = buildClient(print);
  }

  /** Starts autoscaling by /capacity. */
  private follow(settings: Settings, parts: Parts, folder: DataFolder, env: NodeJS.ProcessEnv) {
    this.autoscale = new Autoscale({
      ask: () => askCapacity(settings),
      start: (pool, number) => {
        const worker = new Supervised(extraWorkerPlan(pool, number, parts, env), folder, print);
        worker.spawn();
        this.extras.add(worker);
        return { stop: () => worker.stop().finally(() => this.extras.delete(worker)) };
      },
      print,
    });
    print("Autoscale: following /capacity, within CAPACITY_FLOORS and CAPACITY_CEILINGS.");
  }

  /** Stops the gateway's processes, then the stores. */
  down(): Promise<void> {
    this.stopped ??= (async () => {
      this.interrupted.abort();
      this.client?.stop();
      // These stop together with the API, which finishes its accepted calls on the remaining workers.
      const extras = this.autoscale?.stop();
      for (const stage of this.stages) {
        await Promise.all(stage.map((process) => process.stop()));
        await extras;
      }
      this.demo?.closeAllConnections();
      this.demo?.close();
      this.folder?.close();
    })();
    return this.stopped;
  }

  kill(): void {
    for (const process of [...this.extras, ...this.stages.flat()]) process.kill();
  }
}

const start = new Start();
let signalledAt: number | undefined;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (signalledAt === undefined) {
      signalledAt = Date.now();
      print("\nStopping after the running calls have ended (Ctrl-C again stops at once) ...");
      void start.down().then(() => process.exit(0));
    } else if (Date.now() - signalledAt > sameSignalMs) {
      start.kill();
      process.exit(1);
    }
  });
}

try {
  await start.up(process.env);
} catch (error) {
  if (signalledAt === undefined) {
    const text =
      error instanceof LocalProblem || error instanceof SettingsError
        ? messageOf(error)
        : ((error as Error).stack ?? "");
    process.stderr.write(`\n${text}\n`);
    await start.down();
    process.exit(1);
  }
}
