/**
 * Tells errors of Postgres that pass (an outage) from faults of our statements. A class is the first two
 * characters of a SQLSTATE (Postgres manual, appendix A).
 */

/** Classes caused by the server, its machine or its operator: the same statement succeeds later. */
const passingClasses: Readonly<Record<string, string>> = {
  "08": "the connection broke",
  "28": "login is refused: a password or pg_hba.conf was changed",
  "40": "rolled back: deadlock or serialization failure",
  "53": "disk full, out of memory, too many connections, a configured limit",
  "57": "shut down, starting up, cancelled, statement timeout, database dropped",
  "58": "the operating system failed: I/O error, missing file",
  F0: "the server's configuration file",
  XX: "the server's own fault, or damaged data",
};

/** Codes of other classes that pass as well. */
const passingCodes: Readonly<Record<string, string>> = {
  "25006": "read-only: a standby, a fail-over, or a provider's brake when its disk fills",
  "25P03": "ended while idle in a transaction",
  "25P04": "transaction timeout",
  "26000": "a pooler or a fail-over forgot a prepared statement",
  "3D000": "the database is not there: being restored",
  "55000": "the database takes no connections at the moment",
  "55P03": "lock timeout",
  "72000": "snapshot too old",
};

/** Codes of passing classes that are nevertheless a fault of the statement. */
const faulty = new Set(["40002"]);

/** The reason of an error that passes, so that the statement may be retried; undefined for a fault of ours. */
export function passingReason(sqlState: string): string | undefined {
  if (!/^[0-9A-Z]{5}$/.test(sqlState) || faulty.has(sqlState)) return undefined;
  return passingCodes[sqlState] ?? passingClasses[sqlState.slice(0, 2)];
}

/** True if the whole session is unusable: a session stays read-only after the server is writable again. */
export const endsSession = (sqlState: string): boolean => sqlState === "25006";
