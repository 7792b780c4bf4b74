import { hash } from "node:crypto";
import type { Redis, Result } from "ioredis";
import {
  decodeProfile,
  driftKey,
  driftLifeSeconds,
  driftOpenKey,
  encodeProfile,
  openFindings,
  type DriftFinding,
  type DriftProfile,
} from "../../runtime/drift.ts";
import type { Metrics } from "../../runtime/metrics.ts";
import type { Call } from "../connector.ts";
import { parseJson } from "../mapping/json.ts";
import type { Heard } from "../transport/heard.ts";
import { kindOfText, NotJson } from "./kinds.ts";
import { learn, newProfile } from "./profile.ts";
import { Window } from "./window.ts";

export const cycleMs = 30_000;
/** Share of the worker's time for the shapes of answers, and the most that is saved up, in milliseconds. */
const share = 0.01;
const savedMs = 100;
/** Windows of one cycle; operations and their routes are fewer. */
const mostWindows = 1000;
/** Requests that one window tells apart. */
const mostQuestions = 2000;
/** Profiles in Redis, of about 50 kB at most. */
const mostProfiles = 1000;
const mostBytes = 128 * 1024;

/** Writes a profile unless another worker has written it since it was read, or there are too many. */
const writeScript = `
local old = redis.call('HGET', KEYS[1], ARGV[1])
if (old and string.match(old, '^%d+') or '0') ~= ARGV[2] then return 0 end
if not old and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then return 1 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[5])
if ARGV[6] == '' then redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[6])
  redis.call('EXPIRE', KEYS[2], ARGV[5])
end
return 1`;

declare module "ioredis" {
  interface RedisCommander<Context> {
    writeDrift(
      key: string,
      openKey: string,
      field: string,
      revision: number,
      text: string,
      mostProfiles: number,
      lifeSeconds: number,
      open: string,
    ): Result<number, Context>;
  }
}

interface Settings {
  redis: Redis;
  metrics: Pick<Metrics, "count">;
  log: Call["log"];
  /** Template of a request's path. */
  routeOf: (upstream: string, method: string, path: string) => string | undefined;
  /** Unix time in milliseconds. */
  now: () => number;
  /** Time for costs, in milliseconds. */
  clock?: () => number;
}

type About = Pick<DriftProfile, "operation" | "upstream" | "route">;
interface Watched {
  about: About;
  window: Window;
  questions: Set<string>;
}

/** Folds the shapes of live answers into profiles in Redis and reports what has changed. */
export class DriftWatch {
  readonly #settings: Settings;
  readonly #clock: () => number;
  #windows = new Map<string, Watched>();
  #creditMs = savedMs;
  #creditedAt: number;
  #flushing: Promise<void> | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#clock = settings.clock ?? (() => performance.now());
    this.#creditedAt = this.#clock();
    settings.redis.defineCommand("writeDrift", { lua: writeScript, numberOfKeys: 2 });
    this.#timer = setInterval(() => void this.flush(), cycleMs);
    this.#timer.unref();
  }

  hear(answer: Heard): void {
    if (!tellsShape(answer)) return;
    const startedAt = this.#clock();
    const { upstream } = answer;
    const { metrics } = this.#settings;
    this.#creditMs = Math.min(savedMs, this.#creditMs + (startedAt - this.#creditedAt) * share);
    this.#creditedAt = startedAt;
    const outcome = this.#creditMs > 0 ? this.#read(answer) : "skipped";
    const spentMs = this.#clock() - startedAt;
    this.#creditMs -= spentMs;
    metrics.count("gateway_drift_answers_total", { upstream, outcome });
    metrics.count("gateway_drift_seconds_total", { upstream }, spentMs / 1000);
  }

  #read(answer: Heard): "read" | "repeated" | "skipped" {
    const { operation, upstream, method, path } = answer;
    const template = this.#settings.routeOf(upstream, method, path) ?? "(other)";
    const about = { operation, upstream, route: `${method} ${template}` };
    const id = idOf(about);
    let watched = this.#windows.get(id);
    if (!watched) {
      if (this.#windows.size >= mostWindows) return "skipped";
      watched = { about, window: new Window(), questions: new Set() };
      this.#windows.set(id, watched);
    }
    // The same request again says nothing new; a caller who repeats it must not weigh more.
    const question = hash("sha1", answer.question(), "base64");
    if (watched.questions.has(question)) return "repeated";
    if (watched.questions.size < mostQuestions) watched.questions.add(question);
    watched.window.add(bodyOf(answer));
    return "read";
  }

  /** Folds what was heard into the profiles in Redis. */
  async flush(): Promise<void> {
    await this.#flushing;
    this.#flushing = this.#flush().finally(() => (this.#flushing = undefined));
    return this.#flushing;
  }

  async #flush(): Promise<void> {
    const windows = this.#windows;
    this.#windows = new Map();
    for (const watched of windows.values()) {
      try {
        const found = await this.#fold(watched);
        for (const finding of found) this.#report(watched.about, finding);
      } catch {
        // Without Redis every profile would wait for it: only what these seconds showed is lost.
        return;
      }
    }
  }

  /** Two workers may write the same profile at a time: the second reads it again. */
  async #fold({ about, window }: Watched): Promise<DriftFinding[]> {
    const { redis, now } = this.#settings;
    const id = idOf(about);
    for (let tries = 0; tries < 5; tries += 1) {
      const stored = decodeProfile((await redis.hget(driftKey, id)) ?? "");
      const revision = stored?.revision ?? 0;
      const profile = stored?.profile ?? newProfile(about, now());
      const found = learn(profile, window, now());
      const text = encodeProfile({ revision: revision + 1, profile });
      if (text.length > mostBytes) return [];
      const args = [revision, text, mostProfiles, driftLifeSeconds, openFindings(profile)] as const;
      if ((await redis.writeDrift(driftKey, driftOpenKey, id, ...args)) === 1) return found;
    }
    return [];
  }

  #report({ operation, upstream, route }: About, finding: DriftFinding): void {
    const { path, change, was, now } = finding;
    const { metrics, log } = this.#settings;
    metrics.count("gateway_drift_total", { upstream, operation, change });
    const fields = { upstream, operation, route, path, change, was, since: now };
    log("warn", "an upstream's answers have changed", fields);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}

const idOf = ({ operation, upstream, route }: About): string => `${operation} ${upstream} ${route}`;

/** Good answers, pages in place of an answer, and refusals that may come from a changed shape. */
function tellsShape({ incoming, judged }: Heard): boolean {
  const { status } = incoming;
  if (status >= 300 && status < 400) return status !== 304;
  if (status < 200 || status > 299) return false;
  if (!judged || judged.verdict.ok || judged.body === undefined) return true;
  const { type, operator } = judged.verdict;
  return operator === undefined && (type === "upstream_error" || type === "response_shape_error");
}

function bodyOf({ incoming, judged }: Heard): unknown {
  const { status, bytes, cut, headers } = incoming;
  if (status >= 300) return new NotJson("redirect");
  if (cut) return new NotJson("half answer");
  const body = judged ? judged.body : parseJson(bytes.toString());
  if (body !== undefined || bytes.length === 0) return body;
  return kindOfText(bytes, headers["content-type"] ?? "");
}
