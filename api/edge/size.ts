import * as z from "zod";
import type { Operation } from "../../contract/operation.ts";

const defaultLimit = 256 * 1024;
const bulkLimit = 4 * 1024 * 1024;
/** An input with an array longer than this needs the larger limit. */
const longArray = 100;

/**
 * The largest request body of an operation in bytes: more if its input holds a long array or mention targets.
 */
export function bodyLimitOf(op: Operation): number {
  const schema = z.toJSONSchema(op.input, { io: "input", unrepresentable: "any" });
  const fields = Object.entries((schema.properties ?? {}) as Record<string, { maxItems?: number }>);
  const long = fields.some(
    ([name, field]) => (field.maxItems ?? 0) > longArray || name === "groups",
  );
  const mentions = op.id.startsWith("geo.mentions.");
  return long || mentions ? bulkLimit : defaultLimit;
}
