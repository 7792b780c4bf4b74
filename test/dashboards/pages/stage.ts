import { Redis } from "ioredis";
import { expect } from "vitest";
import { backlinksEnv } from "../../faults/cases.ts";
import { Gateway } from "../../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../../upstream/spawn.ts";
import { type BareChromium, startBareChromium } from "../../worker/browser/shared-context.ts";
import { type Dashboards, dashboards } from "../services.ts";

/** The operation that every test of these pages calls. */
export const operation = "seo.backlinks.list";

/** A busy gateway with its dashboards and a browser, started once for all pages. */
export class Stage {
  upstream!: SpawnedSimulator;
  gateway!: Gateway;
  redis!: Redis;
  board!: Dashboards;
  chromium!: BareChromium;

  async start(): Promise<void> {
    this.upstream = await spawnSimulator();
    [this.gateway, this.chromium] = await Promise.all([
      Gateway.start({ pools: "seo", env: { ...backlinksEnv(this.upstream), WORKER_SLOTS: "2" } }),
      startBareChromium(),
    ]);
    this.redis = new Redis(this.gateway.redis.url);
    this.board = await dashboards(this.gateway.redis.url, {
      databaseUrl: this.gateway.db.url,
      writable: true,
    });
  }

  async stop(): Promise<void> {
    await this.chromium?.close();
    await this.board?.app.close();
    this.redis?.disconnect();
    await this.gateway?.stop();
    await this.upstream?.stop();
  }

  /** The words of a page. */
  readonly text = async (path: string): Promise<string> => {
    const answer = await this.board.get(path);
    expect(answer.status, path).toBe(200);
    return (await answer.text()).replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
  };
}
