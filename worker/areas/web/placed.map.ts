import type { web } from "../../../contract/areas/web/index.ts";
import type { DataOf } from "../../../contract/operation.ts";
import type { Thing } from "./things.map.ts";

export type Extracted = DataOf<Extract<(typeof web.operations)[number], { id: "web.extract" }>>;

/** A thing, and the one that it stands in. */
export interface Placed {
  thing: Thing;
  parent: Thing | undefined;
  /** Name of the parent's property. */
  role: string | undefined;
  /** Address of the page, for relative addresses. */
  base: string;
}
