import postgres from "postgres";

/**
 * Where Postgres is, as DATABASE_URL says it. Besides what every client of Postgres knows:
 *
 * - several hosts, `postgres://user:password@one:5432,two:5432/name`: of them the one that can be written
 *   to is used, also after a standby was promoted;
 * - `?pgbouncer=true`: between is a pooler that gives a connection to each transaction anew, so nothing
 *   is prepared and nothing set for a session. Its limits of time belong to the role then: see README.md.
 */
export interface DatabaseAddress {
  /** For the driver. */
  url: string;
  isPooled: boolean;
  options: Pick<
    postgres.Options<Record<string, postgres.PostgresType>>,
    "prepare" | "target_session_attrs"
  >;
}

export function databaseAddress(url: string): DatabaseAddress {
  const [place = "", query = ""] = url.split("?", 2);
  const asked = new URLSearchParams(query);
  const isPooled = asked.get("pgbouncer") === "true";
  // It would be sent to the server as a setting.
  asked.delete("pgbouncer");
  const hosts = place.replace(/^[^/]*\/\/(?:[^@/]*@)?/, "").split("/")[0] ?? "";
  const isOneOfMany = hosts.includes(",") && !asked.has("target_session_attrs");
  return {
    url: asked.size > 0 ? `${place}?${asked.toString()}` : place,
    isPooled,
    options: {
      ...(isPooled ? { prepare: false } : {}),
      ...(isOneOfMany ? { target_session_attrs: "primary" as const } : {}),
    },
  };
}

/** One connection for a few statements. */
export function oneConnection(url: string, connectSeconds: number): postgres.Sql {
  const address = databaseAddress(url);
  return postgres(address.url, {
    ...address.options,
    max: 1,
    connect_timeout: connectSeconds,
    onnotice: () => {},
  });
}
