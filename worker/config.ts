import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import * as z from "zod";
import { type Pool, pools } from "../contract/operation.ts";
import { webhookQueue } from "../runtime/webhook-queue.ts";
import {
  credentialsVariables,
  egressVariables,
  flag,
  list,
  logLevel,
  longSecret,
  milliseconds,
  path,
  requireCurrentKey,
  wholeNumber,
} from "../runtime/environment.ts";
import { type Environment, readSettings, SettingsError } from "../runtime/settings.ts";
import { credentialsKeys } from "../runtime/own-credentials.ts";
import { redisPrefixVariable, redisUrl } from "../runtime/redis/address.ts";
import { serviceAddress } from "./egress/service.ts";

/** Slots of a worker at its start, from which they follow the machine (`slot-limiter.ts`). */
const startSlots: Record<Pool, number> = {
  browser: 20,
  seo: 32,
  "seo-bulk": 4,
  serp: 32,
  social: 32,
};
/** Webhook deliveries only wait for the network. */
const defaultWebhookSlots = 128;
/**
 * At niceness 4 the worker gets two fifths of the processor time of a process at 0 when both compete. More is
 * impossible: heavy pages run 15 steps behind their browser (`browser/cpu-scheduler.ts`), and 19 is the maximum.
 */
export const defaultNice = 4;
const served = [...pools, webhookQueue] as const;
/** Others are refused: a misspelt production would silently lack its protection. */
const stages = ["production", "development", "test"] as const;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** This process's user: root in a user namespace lacks the rights of the machine's root. */
interface User {
  isMachinesRoot: boolean;
  /** The user id of a command that a launcher starts; undefined where the launcher starts none. */
  behind(launcher: readonly string[]): number | undefined;
}

function isMachinesRoot(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    // Outside of user namespaces every id maps to itself.
    return /^\s*0\s+0\s+4294967295$/m.test(readFileSync("/proc/self/uid_map", "utf8"));
  } catch {
    return true;
  }
}

export function userBehind([program = "", ...words]: readonly string[]): number | undefined {
  const { status, stdout } = spawnSync(program, [...words, "id", "-u"], { timeout: 5000 });
  return status === 0 ? Number(stdout.toString()) : undefined;
}

const currentUser = (): User => ({ isMachinesRoot: isMachinesRoot(), behind: userBehind });

/** Slots by pool, for docs/configuration.md. */
const slotsText = Object.entries(startSlots).map((entry) => entry.join(" "));

/** Every variable of a worker process; docs/configuration.md is generated from this object. */
export const environment = z.object({
  NODE_ENV: z
    .enum(stages, `one of ${stages.join(", ")}`)
    .optional()
    .meta({
      description:
        "`production` refuses to render pages without Chromium's sandbox, or as the machine's root.",
      absent: "none",
    }),
  REDIS_URL: redisUrl,
  REDIS_PREFIX: redisPrefixVariable,
  WORKER_POOLS: list
    .pipe(
      z
        .array(z.enum(served, `some of ${served.join(", ")}`))
        .refine((names) => new Set(names).size === names.length, "each pool once"),
    )
    .default([...served])
    .describe("Pools that the worker serves, comma-separated; `webhooks` delivers webhooks."),
  WORKER_SLOTS: wholeNumber(1, 1000)
    .optional()
    .meta({
      description:
        "Slots of each pool of the worker. Without it they follow the machine (`docs/scaling.md`); those of webhooks are fixed.",
      absent: `at the start ${slotsText.join(", ")}; webhooks ${defaultWebhookSlots}`,
    }),
  WORKER_NICE: wholeNumber(0, defaultNice)
    .default(defaultNice)
    .describe(
      "Niceness of the worker and its browsers; 0 leaves it unchanged. On busy processors the API goes first.",
    ),
  LOG_LEVEL: logLevel,
  ...egressVariables,
  CONTACT: z
    .string()
    // The value stands in a comment of the user agent, which parentheses would end.
    .regex(/^(https?:\/\/[\x21-\x27\x2a-\x7e]+|[\w.+-]+@[\w-]+(\.[\w-]+)+)$/, {
      message: "must be an e-mail address, or the http(s) URL of a page",
    })
    .max(200)
    .optional()
    .meta({
      description:
        "E-mail address or web page of the operator, which open sources see in the user agent. Sources that require one are not called without it; `docs/upstreams.md` names them.",
      absent: "none",
    }),
  DRIFT: flag.default(true).meta({
    description:
      "`false`: the worker does not watch the shape of upstreams' answers (`docs/drift.md`).",
  }),
  KEEP_FAILED_ANSWERS: flag.default(true).meta({
    description:
      "`false`: the worker keeps no answers of upstreams whose mapping failed (`docs/drift.md`).",
  }),
  KEEP_GOOD_ANSWERS: flag.default(true).meta({
    description:
      "`false`: the worker keeps no sample of the answers that it mapped, on which `gateway shadow` compares two versions (`docs/drift.md`).",
  }),
  FAILED_ANSWERS_KEY: longSecret.optional().meta({
    description:
      "Secret that encrypts the kept answers, the same for all workers, `gateway replay` and `gateway shadow`. Without it none are kept.",
    absent: "none; `npm start` derives one from `KEY_PEPPER`",
  }),
  ...credentialsVariables,
  RECORD_DIR: path.optional().meta({
    description:
      "Folder into which the worker writes upstreams' answers to live calls, with every text and long number replaced (`docs/drift.md`).",
    absent: "none: nothing is written",
  }),
  WEBHOOK_ATTEMPT_MS: milliseconds(100, 30_000)
    .default(15_000)
    .describe("Milliseconds that a webhook's receiver has for its answer."),
  EGRESS_VIA: z
    .string()
    .refine((via) => serviceAddress(via) !== undefined, "host:port")
    .optional()
    .meta({
      description:
        "`host:port` of an egress service that resolves, checks and dials for the browsers.",
      absent: "none: the worker dials itself",
    }),
  PUPPETEER_EXECUTABLE_PATH: path.optional().meta({
    description: "Path of the Chromium to run.",
    absent: "none; a worker of the pool `browser` needs one",
  }),
  CHROMIUM_LAUNCHER: z
    .string()
    .default("[]")
    .transform((value, context) => {
      const words = z.array(z.string()).safeParse(jsonOf(value));
      if (!words.success) context.addIssue("a JSON array of words");
      return words.data ?? [];
    })
    .describe("Command that starts Chromium, where its sandbox needs one: a JSON array of words."),
  CHROMIUM_SANDBOX: flag.default(true).describe("`false` runs Chromium without its sandbox."),
  BROWSER_TEXT_ONLY: flag.default(false).meta({
    description:
      "`true`: html, markdown and links load no pictures, media and fonts; `docs/browser.md` says what changes.",
  }),
  BROWSERS: wholeNumber(1, 32).optional().meta({
    description: "Concurrent browsers of a worker in the pool `browser`.",
    absent: "one for every two processors, at most 4",
  }),
});

/** Variables that may come from the file that the variable with `_FILE` appended names. */
export const fileSecrets = [
  "REDIS_URL",
  "FAILED_ANSWERS_KEY",
  "CREDENTIALS_KEY",
  "CREDENTIALS_KEY_PREVIOUS",
];

export interface Config {
  redisUrl: string;
  /** Niceness, 0 to 4. */
  nice: number;
  /** Slots at the start where they follow the machine, else for good. */
  pools: { pool: Pool; slots: number; followsMachine: boolean }[];
  /** Concurrent webhook attempts; undefined where this worker delivers none. */
  webhookSlots: number | undefined;
  logLevel: string;
  egressAllow: string[];
  egressDeny: string[];
  webhookAllow: string[];
  webhookAttemptMs: number;
  /** False where the shapes of answers are not watched. */
  drift: boolean;
  /** Encrypts the answers behind failed calls; undefined where none are kept. */
  failedAnswersKey: string | undefined;
  /** The same for a sample of the answers behind good calls. */
  goodAnswersKey: string | undefined;
  /** Decrypt the accounts' own credentials; none where there are none. */
  credentialsKeys: readonly string[];
  /** Folder for recorded answers. */
  recordDir: string | undefined;
  /** Egress service that carries the browser's traffic. */
  egressVia: string | undefined;
  resolver: string | undefined;
  chromium: {
    executablePath: string | undefined;
    launcher: string[];
    sandbox: boolean;
    /** Concurrent browsers; undefined derives the number from the processors. */
    browsers: number | undefined;
    /** True to load no pictures, media and fonts in pages that are only read. */
    textOnly: boolean;
  };
}

/** Reads the environment of a worker process. Throws SettingsError. */
export function readConfig(env: Environment, user: User = currentUser()): Config {
  const value = readSettings(environment.superRefine(requireCurrentKey), env, fileSecrets);
  const problem = unsafeInProduction(value, user);
  if (problem) throw new SettingsError(problem);
  return {
    redisUrl: value.REDIS_URL,
    nice: value.WORKER_NICE,
    pools: value.WORKER_POOLS.filter((pool) => pool !== webhookQueue).map((pool) => ({
      pool,
      slots: value.WORKER_SLOTS ?? startSlots[pool],
      followsMachine: value.WORKER_SLOTS === undefined,
    })),
    webhookSlots: value.WORKER_POOLS.includes(webhookQueue)
      ? (value.WORKER_SLOTS ?? defaultWebhookSlots)
      : undefined,
    logLevel: value.LOG_LEVEL,
    egressAllow: value.EGRESS_ALLOW,
    egressDeny: value.EGRESS_DENY,
    webhookAllow: value.WEBHOOK_ALLOW,
    webhookAttemptMs: value.WEBHOOK_ATTEMPT_MS,
    drift: value.DRIFT,
    recordDir: value.RECORD_DIR,
    failedAnswersKey: value.KEEP_FAILED_ANSWERS ? value.FAILED_ANSWERS_KEY : undefined,
    goodAnswersKey: value.KEEP_GOOD_ANSWERS ? value.FAILED_ANSWERS_KEY : undefined,
    credentialsKeys: credentialsKeys(value),
    egressVia: value.EGRESS_VIA,
    resolver: value.RESOLVER,
    chromium: {
      executablePath: value.PUPPETEER_EXECUTABLE_PATH,
      launcher: value.CHROMIUM_LAUNCHER,
      sandbox: value.CHROMIUM_SANDBOX,
      browsers: value.BROWSERS,
      textOnly: value.BROWSER_TEXT_ONLY,
    },
  };
}

/** A page that breaks out of its process must not run as root. */
function unsafeInProduction(
  value: Pick<
    z.infer<typeof environment>,
    "NODE_ENV" | "WORKER_POOLS" | "CHROMIUM_SANDBOX" | "CHROMIUM_LAUNCHER"
  >,
  user: User,
): string | undefined {
  if (value.NODE_ENV !== "production" || !value.WORKER_POOLS.includes("browser")) return undefined;
  const words = value.CHROMIUM_LAUNCHER;
  if (!value.CHROMIUM_SANDBOX || words.includes("--no-sandbox")) {
    return "CHROMIUM_SANDBOX is off: in production pages are only rendered inside Chromium's sandbox. deploy/README.md says what the sandbox needs.";
  }
  if (user.isMachinesRoot && (words.length === 0 || !user.behind(words))) {
    return "This is root: in production run the worker of the pool browser as an ordinary user, or name in CHROMIUM_LAUNCHER a command that gives up root's rights.";
  }
  return undefined;
}
