import { crawlOperations } from "../../contract/crawl-operations.ts";
import { evidenceOf } from "../../contract/evidence.ts";
import { priceInNumbers, priceOf, priceOfEach } from "../../contract/pricing.ts";
import { type Operation, mostRecords } from "../../contract/operation.ts";
import { fieldsOf, membersOf } from "../describe.ts";

const texts = new WeakMap<Operation, { evidence: string; text: string }>();

/** The description as JSON, cached: some take 10 ms to make, and of each only the evidence changes. */
export function descriptionOf(op: Operation, evidence = evidenceOf(op)): string {
  let made = texts.get(op);
  if (made?.evidence !== evidence) {
    made = { evidence, text: JSON.stringify(described(op, evidence)) };
    texts.set(op, made);
  }
  return made.text;
}

/** Describes an operation for an agent: one line per field. */
export function described(op: Operation, evidence = evidenceOf(op)): object {
  const input = fieldsOf(op).map(({ name, required, type, bounds, defaultValue, description }) => {
    const text = [
      required ? `required ${type}` : type,
      bounds,
      defaultValue === undefined ? "" : `default ${defaultValue}`,
    ];
    return [name, lineOf(text.filter(Boolean).join(", "), description)];
  });
  const example = op.input.parse(op.example);
  const priceOfExample = priceInNumbers(priceOf(op, mostRecords(op, example)));
  return {
    operation: op.id,
    summary: op.summary,
    description: op.description,
    ...(isFree(op)
      ? { price: "free" }
      : { price: `${priceOfEach(op)}; the example costs ${priceOfExample}; errors are free` }),
    evidence: crawlOperations.has(op.id) ? undefined : evidence,
    input: Object.fromEntries(input) as Record<string, string>,
    example: op.example,
    answer: Object.fromEntries(
      membersOf(op, 2).map(({ name, type, description }) => [name, lineOf(type, description)]),
    ) as Record<string, string>,
    pages: op.paginated
      ? "next_cursor of an answer is the input `cursor` of the next page; null at the end"
      : undefined,
  };
}

/** Reading a crawl costs nothing, its pages do. */
const isFree = ({ id }: Operation) => crawlOperations.has(id) && id !== "web.crawl";

const lineOf = (type: string, description: string) =>
  description === "" ? type : `${type}: ${description}`;
