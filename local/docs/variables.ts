import * as z from "zod";

/** One environment variable as a row of docs/configuration.md; the texts are Markdown. */
export interface Variable {
  name: string;
  /** Its default, `required`, or a few words on what happens without it. */
  default: string;
  values?: string | undefined;
  meaning: string;
  /** Whether `<name>_FILE` may name a file with the value. */
  file?: boolean | undefined;
}

/** The part of JSON Schema that rows come from; `absent` and `values` are the schema's own `meta`. */
interface Property {
  description?: string;
  absent?: string;
  values?: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
}

/** The rows of an environment's schema. Throws on a variable without a description. */
export function variablesOf(schema: z.ZodObject, fileSecrets: readonly string[] = []): Variable[] {
  const { properties = {} } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  });
  return Object.entries(properties).map(([name, about]) => {
    const property = about as Property;
    if (property.description === undefined)
      throw new Error(`${name} has no description in its schema`);
    return {
      name,
      default: property.absent ?? defaultOf(name, schema.shape[name] as z.ZodType),
      values: valuesOf(property),
      meaning: property.description,
      file: fileSecrets.includes(name) || undefined,
    };
  });
}

/** The value of an absent variable. */
function defaultOf(name: string, schema: z.ZodType): string {
  const absent = schema.safeParse(undefined);
  if (!absent.success) return "required";
  const value = absent.data as string | number | boolean | readonly string[] | undefined;
  if (value === undefined) throw new Error(`${name} is optional, so its meta needs "absent"`);
  const text = String(value);
  return text === "" ? "none" : `\`${text}\``;
}

/** Zod bounds every integer by the safe integers. */
const isBound = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;

function valuesOf({ values, enum: all, minimum, maximum, minLength }: Property) {
  if (values !== undefined) return values;
  if (all !== undefined) return all.join(", ");
  if (isBound(minimum)) return isBound(maximum) ? `${minimum} to ${maximum}` : `${minimum} or more`;
  return minLength === undefined ? undefined : `${minLength} characters or more`;
}

/** The named rows of other rows, with the changes of this process. */
export function like(
  rows: readonly Variable[],
  changes: Readonly<Record<string, Partial<Variable>>>,
): Variable[] {
  return Object.entries(changes).map(([name, change]) => {
    const row = rows.find((one) => one.name === name);
    if (!row) throw new Error(`there is no variable ${name} to copy`);
    return { ...row, file: undefined, ...change };
  });
}
