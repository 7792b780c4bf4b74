import type { Redis } from "ioredis";
import type { Metrics } from "../runtime/metrics.ts";
import {
  type UpstreamAccess,
  upstreamAcceptedKey,
  upstreamAccessKey,
  type UpstreamRefusal,
  upstreamRefusedKey,
} from "../runtime/upstreams.ts";
import { contactVariable } from "./transport/contact.ts";
import type { Heard } from "./transport/heard.ts";
import { variablesMissing } from "./transport/missing.ts";
import type { Environment } from "./transport/secrets.ts";
import type { Upstream } from "./transport/upstream.ts";

/** Files with secrets may be exchanged while the worker runs, and Redis may have lost the report. */
const everyMs = 60_000;
/** An upstream's answers are reported at most once in this time. */
const pauseMs = 5_000;

interface Settings {
  redis: Redis;
  metrics: Pick<Metrics, "gauge">;
  env: Environment;
  upstreams: readonly Upstream[];
  /** Unix time in milliseconds. */
  now: () => number;
}

/** Reports to operators which credentials this worker has, and when upstreams last accepted or refused them. */
export class UpstreamReport {
  readonly #settings: Settings;
  readonly #toldAt = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(settings: Settings) {
    this.#settings = settings;
    void this.access();
    this.#timer = setInterval(() => void this.access(), everyMs);
    this.#timer.unref();
  }

  /** Reports the variables that are set. A fault of Redis loses the report for a minute. */
  async access(): Promise<void> {
    const { redis, metrics, env, upstreams, now } = this.#settings;
    const fields: [string, string][] = [];
    for (const upstream of upstreams) {
      const missing = await variablesMissing(upstream, env);
      metrics.gauge(
        "gateway_upstream_credential_present",
        { upstream: upstream.name },
        missing.length === 0 ? 1 : 0,
      );
      const { contact } = upstream;
      const access: UpstreamAccess = {
        credentials: [...upstream.credentials],
        missing,
        contact: contact && (contact.required ? "required" : "asked"),
        hasContact: Boolean(env[contactVariable]),
        at: now(),
      };
      fields.push([upstream.name, JSON.stringify(access)]);
    }
    if (fields.length > 0) await redis.hset(upstreamAccessKey, new Map(fields)).catch(() => 0);
  }

  hear({ upstream, incoming, judged, isOwn }: Heard): void {
    if (isOwn) return;
    const verdict = judged?.verdict;
    const isGood = verdict ? verdict.ok : incoming.status >= 200 && incoming.status < 300;
    const reason = verdict && !verdict.ok ? verdict.operator : undefined;
    if (isGood) this.#tell(upstreamAcceptedKey, upstream, () => String(this.#settings.now()));
    else if (reason !== undefined) {
      this.#tell(upstreamRefusedKey, upstream, () =>
        JSON.stringify({ at: this.#settings.now(), reason } satisfies UpstreamRefusal),
      );
    }
  }

  #tell(key: string, upstream: string, value: () => string): void {
    const id = `${key} ${upstream}`;
    const now = this.#settings.now();
    if (now - (this.#toldAt.get(id) ?? -Infinity) < pauseMs) return;
    this.#toldAt.set(id, now);
    this.#settings.redis.hset(key, upstream, value()).catch(() => this.#toldAt.delete(id));
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
