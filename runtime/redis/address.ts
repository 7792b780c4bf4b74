import * as z from "zod";

/**
 * The forms of REDIS_URL:
 *
 * - `redis://user:password@host:6379/0`, one server;
 * - `redis+sentinel://user:password@host:26379,host:26379,host:26379/mymaster/0`, the master that the
 *   Sentinels name (`?sentinel_user=` and `?sentinel_password=` where the Sentinels need their own login);
 * - `redis+cluster://user:password@host:6379,host:6379,host:6379`, some nodes of a cluster.
 *
 * `rediss` in place of `redis` means TLS. User, port and database have the usual defaults.
 */
export type RedisAddress =
  | { kind: "single"; url: string }
  | (Login & {
      kind: "sentinel";
      nodes: RedisNode[];
      name: string;
      db: number;
      tls: boolean;
      sentinelLogin: Login;
    })
  | (Login & { kind: "cluster"; nodes: RedisNode[]; tls: boolean });

export interface RedisNode {
  host: string;
  port: number;
}

export interface Login {
  username?: string | undefined;
  password?: string | undefined;
}

const form =
  /^redis(s?)\+(sentinel|cluster):\/\/(?:([^@/?#]*)@)?([^/?#]+)(?:\/([^/?#]*))?(?:\/(\d+))?(?:\?([^#]*))?$/;
const nodeForm = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:,[\]]+))(?::(\d{1,5}))?$/;
const defaultPort = { sentinel: 26_379, cluster: 6379 };

/** Undefined where the URL has none of these forms. */
export function redisAddress(url: string): RedisAddress | undefined {
  if (/^rediss?:\/\//.test(url)) return URL.canParse(url) ? { kind: "single", url } : undefined;
  const [, secure, kind, login, hosts = "", name = "", db = "0", query] = form.exec(url) ?? [];
  if (kind !== "sentinel" && kind !== "cluster") return undefined;
  const nodes = hosts.split(",").flatMap((text) => {
    const [, ipv6, host = ipv6, port] = nodeForm.exec(text) ?? [];
    const node = { host: host ?? "", port: Number(port ?? defaultPort[kind]) };
    return host === undefined || node.port > 65_535 ? [] : [node];
  });
  if (nodes.length !== hosts.split(",").length) return undefined;
  const shared = { nodes, tls: secure === "s", ...loginOf(login) };
  // A cluster has database 0 only.
  if (kind === "cluster") return name === "" || name === "0" ? { kind, ...shared } : undefined;
  if (name === "") return undefined;
  const parameters = new URLSearchParams(query);
  const sentinelLogin = loginFrom(
    parameters.get("sentinel_user"),
    parameters.get("sentinel_password"),
  );
  return { kind, ...shared, name: decodeURIComponent(name), db: Number(db), sentinelLogin };
}

function loginOf(text: string | undefined): Login {
  if (text === undefined) return {};
  const [user = "", ...password] = text.split(":");
  return loginFrom(decodeURIComponent(user), decodeURIComponent(password.join(":")));
}

const loginFrom = (username: string | null, password: string | null): Login => ({
  username: username || undefined,
  password: password || undefined,
});

/** REDIS_PREFIX of a process, which `redisPrefix` reads. */
export const redisPrefixVariable = z
  .string()
  .regex(/^[^\s\p{Cc}]+$/u, "a text without spaces")
  .optional()
  .meta({
    description:
      "Prefix of every key in Redis. In a cluster it must be in braces, which keep all keys on one node.",
    absent: "`gateway`, in a cluster `{gateway}`",
  });

/** REDIS_URL of a process. */
export const redisUrl = z
  .string()
  .refine((url) => redisAddress(url) !== undefined, {
    error:
      "a redis:// or rediss:// URL, or redis+sentinel://host:port,host:port/name, or redis+cluster://host:port,host:port",
  })
  .refine((url) => redisAddress(url)?.kind !== "cluster" || hasHashTag(redisPrefix(process.env)), {
    error: "with a cluster REDIS_PREFIX must be in braces, as in {gateway}",
  })
  .describe(
    "URL of Redis, `redis://user:password@host:6379/0`, or of its Sentinels or some nodes of a cluster; `docs/stores.md` has every form. Redis must have `maxmemory-policy noeviction`.",
  );

/**
 * Prefix of every key in Redis. In a cluster it is a hash tag (text in braces), which keeps all keys of
 * the gateway on one node, as scripts need.
 */
export function redisPrefix(env: Readonly<Record<string, string | undefined>>): string {
  const clustered = redisAddress(env["REDIS_URL"] ?? "")?.kind === "cluster";
  return env["REDIS_PREFIX"] || (clustered ? "{gateway}" : "gateway");
}

const hasHashTag = (prefix: string): boolean => /^\{[^{}\s]+\}[^{}\s]*$/.test(prefix);
