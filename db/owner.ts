import type { Mode } from "./columns.ts";

/** Batches, endpoints, keys and limits belong to an account and a mode. */
export interface Owner {
  accountId: number;
  mode: Mode;
}
