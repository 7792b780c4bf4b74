import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import * as z from "zod";

/** Variables that several processes read. docs/configuration.md shows each description. */

/** The variables that have a value: compose passes those that its .env lacks on as empty ones. */
export const withoutEmpty = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value));

function refuse(problem: string): void {
  throw new Error(problem);
}

/** The variables that have a value; one of `secrets` may come from the file that `NAME_FILE` names. */
export function withFiles(
  env: Readonly<Record<string, string | undefined>>,
  secrets: readonly string[],
  onProblem: (problem: string) => void = refuse,
): Record<string, string | undefined> {
  const values = withoutEmpty(env);
  for (const name of secrets) {
    const file = values[`${name}_FILE`];
    if (values[name] !== undefined || file === undefined) continue;
    try {
      values[name] = readFileSync(file, "utf8").trim();
    } catch (error) {
      onProblem(`${name}_FILE: cannot be read (${(error as NodeJS.ErrnoException).code})`);
      // The schema need not report the variable itself as missing.
      values[name] = "unreadable file";
    }
  }
  return values;
}

/** A comma-separated list; none when the variable is absent or empty. */
export const list = z
  .string()
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

export const egressVariables = {
  EGRESS_ALLOW: list.describe(
    "Internal addresses that the SSRF filter lets pages and upstreams reach: `address:port` or CIDR, comma-separated.",
  ),
  EGRESS_DENY: list.describe(
    "Addresses that the SSRF filter always refuses, even allowed ones, such as public addresses of your own network; in the same form as `EGRESS_ALLOW`.",
  ),
  WEBHOOK_ALLOW: list.describe(
    "Internal addresses that may receive webhooks, loopback ones by http as well; in the same form as `EGRESS_ALLOW`. Other webhooks go to public addresses by https.",
  ),
  RESOLVER: z.string().refine(isServer, "address or address:port").optional().meta({
    description: "Address of the DNS server for callers' URLs, `address` or `address:port`.",
    absent: "the system's",
  }),
};

/** Variables of the processes that use the accounts' own credentials. */
export const credentialsVariables = {
  CREDENTIALS_KEY: z.string().min(32).optional().meta({
    description:
      "Secret that encrypts the accounts' own credentials, the same for the API, the workers and `gateway credentials` (`docs/credentials.md`).",
    absent:
      "none: no account can have credentials of its own; `npm start` derives one from `KEY_PEPPER`",
    values: "32 characters or more",
  }),
  CREDENTIALS_KEY_PREVIOUS: z.string().min(32).optional().meta({
    description:
      "The former `CREDENTIALS_KEY`, which still decrypts while a new one takes its place (`docs/credentials.md`).",
    absent: "none",
    values: "32 characters or more",
  }),
};

/** An address with or without a prefix length that fits it. */
function isRange(entry: string): boolean {
  const [address = "", prefix, ...more] = entry.split("/");
  const bits = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}

export const trustedProxies = list
  .refine((entries) => entries.every(isRange), "addresses or CIDR ranges, comma-separated")
  .describe(
    "Addresses or CIDR ranges of load balancers, comma-separated. The API and the dashboards believe `X-Forwarded-For` from these only.",
  );

export const logLevel = z
  .enum(["trace", "debug", "info", "warn", "error", "silent"])
  .default("info")
  .describe("Lowest level of the log lines that are written.");
