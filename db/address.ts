import postgres from "postgres";

/**
 * The address of Postgres from DATABASE_URL. Besides ordinary connection strings it may have:
 *
 * - several hosts, `postgres://user:password@one:5432,two:5432/name`: the writable one is used, also after a
 *   standby was promoted;
 * - `?pgbouncer=true`: a pooler gives each transaction another connection, so the driver prepares no
 *   statement and sets nothing for a session. The role then has the time limits: see docs/stores.md.
 */
export interface DatabaseAddress {
  /** For the driver. */
  url: string;
  isPooled: boolean;
  options: Pick<
    postgres.Options<Record<string, postgres.PostgresType>>,
    "prepare" | "target_session_attrs" | "host" | "port"
  >;
}

export function databaseAddress(url: string): DatabaseAddress {
  const [base = "", query = ""] = url.split("?", 2);
  const parameters = new URLSearchParams(query);
  const isPooled = parameters.get("pgbouncer") === "true";
  // The driver would send the parameter to the server as a setting.
  parameters.delete("pgbouncer");
  const hosts = base.replace(/^[^/]*\/\/(?:[^@/]*@)?/, "").split("/")[0] ?? "";
  const needsPrimary = hosts.includes(",") && !parameters.has("target_session_attrs");
  return {
    url: parameters.size > 0 ? `${base}?${parameters.toString()}` : base,
    isPooled,
    options: {
      // The driver takes an undefined member as false.
      ...(isPooled ? { prepare: false } : {}),
      ...(hosts.includes("[") ? hostsAndPorts(hosts) : {}),
      target_session_attrs: needsPrimary ? "primary" : undefined,
    },
  };
}

/** The driver splits a host at its first colon, so IPv6 addresses go to it as lists, which its types do not know. */
function hostsAndPorts(hosts: string): Pick<DatabaseAddress["options"], "host" | "port"> {
  const nodes = hosts.split(",").map((text) => {
    const [, ipv6, name = "", port = "5432"] =
      /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
    return { host: ipv6 ?? name, port: Number(port) };
  });
  const lists: unknown = {
    host: nodes.map(({ host }) => host),
    port: nodes.map(({ port }) => port),
  };
  return lists as Pick<DatabaseAddress["options"], "host" | "port">;
}

/** One connection for a few statements. */
export function oneConnection(url: string, connectSeconds: number): postgres.Sql {
  const address = databaseAddress(url);
  return postgres(address.url, {
    ...address.options,
    max: 1,
    connect_timeout: connectSeconds,
    // Nothing handles the rejection where the connection ends during that question, so the process would end.
    fetch_types: false,
    onnotice: () => {},
  });
}
