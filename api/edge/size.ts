import type * as z from "zod";
import type { Operation } from "../../contract/operation.ts";

const defaultLimit = 256 * 1024;
const bulkLimit = 4 * 1024 * 1024;
/** An input with an array longer than this needs the larger limit. */
const longArray = 100;

/**
 * The largest request body of an operation in bytes: more if its input holds a long array or mention targets.
 */
export function bodyLimitOf(op: Operation): number {
  const input = coreOf(op.input);
  const fields = input.type === "object" ? Object.entries(input.shape) : [];
  const long = fields.some(
    ([name, field]) => mostItemsOf(coreOf(field)) > longArray || name === "groups",
  );
  const mentions = op.id.startsWith("geo.mentions.");
  return long || mentions ? bulkLimit : defaultLimit;
}

/** A schema's definition below its defaults and normalisations; a JSON Schema of every input takes a process 0.1 s. */
function coreOf(schema: z.core.$ZodType): z.core.$ZodTypes["_zod"]["def"] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if ("innerType" in def) return coreOf(def.innerType);
  if (def.type !== "pipe") return def;
  return coreOf(def.in._zod.def.type === "transform" ? def.out : def.in);
}

function mostItemsOf(def: z.core.$ZodTypes["_zod"]["def"]): number {
  if (def.type !== "array") return 0;
  const limits = (def.checks ?? []).map((check) => check._zod.def);
  return Math.max(0, ...limits.map((limit) => ("maximum" in limit ? Number(limit.maximum) : 0)));
}
