import { createRequire } from "node:module";

/**
 * drizzle-orm, loaded as CommonJS. Node reads the `exports` of a package (here 178 kB) again for each of its
 * ES modules: 0.6 s of processor time at each start, against 0.1 s this way.
 */

const require = createRequire(import.meta.url);

export const { and, asc, count, desc, eq, getTableColumns, gte, is, isNull, lt, or, sql, sum } =
  require("drizzle-orm") as typeof import("drizzle-orm");
export const {
  bigint,
  boolean,
  customType,
  date,
  doublePrecision,
  getTableConfig,
  integer,
  jsonb,
  numeric,
  PgTable,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
} = require("drizzle-orm/pg-core") as typeof import("drizzle-orm/pg-core");
export const { drizzle } =
  require("drizzle-orm/postgres-js") as typeof import("drizzle-orm/postgres-js");
export type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
