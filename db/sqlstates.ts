/**
 * Which answers of Postgres say that it cannot work now, and which that our statement is at fault.
 * Classes are the first two characters of a SQLSTATE (Postgres manual, appendix A).
 */

/** The server, its machine or its operator: the same statement succeeds later. */
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
  "55P03": "a lock was not had in time",
  "72000": "snapshot too old",
};

/** Codes of passing classes that are a fault of the statement all the same. */
const faulty = new Set(["40002"]);

/** What it means where the statement may be tried again; undefined for a fault of ours. */
export function passingReason(sqlState: string): string | undefined {
  if (!/^[0-9A-Z]{5}$/.test(sqlState) || faulty.has(sqlState)) return undefined;
  return passingCodes[sqlState] ?? passingClasses[sqlState.slice(0, 2)];
}

/** The session, not only its statement, is of no use: settings of a session outlast their cause. */
export const endsSession = (sqlState: string): boolean => sqlState === "25006";
