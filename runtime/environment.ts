import { isIP } from "node:net";
import * as z from "zod";
import { isRange, ruleOf } from "./egress/rules.ts";

/** Variables that several processes read. docs/configuration.md shows each description. */

/** A whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number) {
  const values = `${least} to ${most}`;
  const error = `a whole number from ${values}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .refine((number) => number >= least && number <= most, error)
    .meta({ values });
}

const dayMs = 24 * 3600_000;

/** A time of at most a day; a timer cannot wait for more than 24. */
export const milliseconds = (least: number, most = dayMs) => wholeNumber(least, most);

/** `true` or `false`. */
export const flag = z.stringbool({ error: "true or false" }).meta({ values: "true, false" });

/** A secret that others may not guess. */
export const longSecret = z
  .string()
  .min(32, "32 characters or more")
  .meta({ values: "32 characters or more" });

/** The name or address that a server listens on. */
export const host = z.string().regex(/^[^\s/]+$/, "an address or a host name");

export const path = z.string().regex(/\S/, "a path");

export const port = wholeNumber(0, 65_535);

/** A comma-separated list; none when the variable is absent or empty. */
export const list = z
  .string()
  .regex(/[^\s,]/, "entries, comma-separated")
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((entry) => entry.trim())
      .filter(Boolean),
  );

/** Whether a text is an address, or an address and a port, as a DNS server is named. */
function isServer(text: string): boolean {
  const [, bracketed, address = bracketed ?? text, port = "1"] =
    /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  return isIP(address) > 0 && Number(port) > 0 && Number(port) < 65_536;
}

const rules = list.refine(
  (entries) => entries.every((entry) => ruleOf(entry) !== undefined),
  "addresses, address:port or CIDR ranges, comma-separated",
);

export const egressVariables = {
  EGRESS_ALLOW: rules.describe(
    "Internal addresses that the SSRF filter lets pages and upstreams reach: `address:port` or CIDR, comma-separated.",
  ),
  EGRESS_DENY: rules.describe(
    "Addresses that the SSRF filter always refuses, even allowed ones, such as public addresses of your own network; in the same form as `EGRESS_ALLOW`.",
  ),
  WEBHOOK_ALLOW: rules.describe(
    "Internal addresses that may receive webhooks, loopback ones by http as well; in the same form as `EGRESS_ALLOW`. Other webhooks go to public addresses by https.",
  ),
  RESOLVER: z.string().refine(isServer, "address or address:port").optional().meta({
    description: "Address of the DNS server for callers' URLs, `address` or `address:port`.",
    absent: "the system's",
  }),
};

/** Variables of the processes that use the accounts' own credentials. */
export const credentialsVariables = {
  CREDENTIALS_KEY: longSecret.optional().meta({
    description:
      "Secret that encrypts the accounts' own credentials, the same for the API, the workers and `gateway credentials` (`docs/credentials.md`).",
    absent:
      "none: no account can have credentials of its own; `npm start` derives one from `KEY_PEPPER`",
  }),
  CREDENTIALS_KEY_PREVIOUS: longSecret.optional().meta({
    description:
      "The former `CREDENTIALS_KEY`, which still decrypts while a new one takes its place (`docs/credentials.md`).",
    absent: "none",
  }),
};

/** An objection to a former key without the current one, which would encrypt with the former one for good. */
export function requireCurrentKey(
  env: { CREDENTIALS_KEY?: string | undefined; CREDENTIALS_KEY_PREVIOUS?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (env.CREDENTIALS_KEY_PREVIOUS === undefined || env.CREDENTIALS_KEY !== undefined) return;
  const message = "needs CREDENTIALS_KEY, which takes its place";
  context.addIssue({ code: "custom", path: ["CREDENTIALS_KEY_PREVIOUS"], message, input: env });
}

export const trustedProxies = list
  .refine((entries) => entries.every(isRange), "addresses or CIDR ranges, comma-separated")
  .describe(
    "Addresses or CIDR ranges of load balancers, comma-separated. The API and the dashboards believe `X-Forwarded-For` from these only.",
  );

const levels = ["trace", "debug", "info", "warn", "error", "silent"] as const;

export const logLevel = z
  .enum(levels, `one of ${levels.join(", ")}`)
  .default("info")
  .describe("Lowest level of the log lines that are written.");
