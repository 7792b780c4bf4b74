import type {
  FinanceCompanyValue,
  FinanceConcept,
  FinanceFacts,
} from "../../../contract/areas/finance/company-records.ts";
import { type Wire, at, defined, integer, need, number, object, rows, text } from "#wire";
import { cikOf } from "./companies.map.ts";

type Fact = FinanceConcept["units"][number]["values"][number];

function fact(row: Wire): Fact {
  return defined({
    value: need(number(row.val), "facts.val"),
    period_start: text(row.start),
    period_end: text(row.end),
    fiscal_year: integer(row.fy),
    fiscal_period: text(row.fp),
    form: text(row.form),
    filed_date: text(row.filed),
    accession_number: text(row.accn),
    frame: text(row.frame),
  });
}

/** Figures by unit; a unit without any figure is left out. */
const unitsOf = (units: unknown) =>
  Object.entries(need(object(units), "units")).flatMap(([unit, list]) => {
    const values = rows(list, "units[]", fact);
    return values.length === 0 ? [] : [{ unit, values }];
  });

const later = (one: string | undefined, other: string | undefined) =>
  (one ?? "").localeCompare(other ?? "");

/** The figure of the last period, of the shortest one that ends then, as the newest filing states it. */
const latestOf = (values: readonly Fact[]) =>
  values.reduce((best, one) => {
    const order =
      later(one.period_end, best.period_end) ||
      later(one.period_start, best.period_start) ||
      later(one.filed_date, best.filed_date);
    return order > 0 ? one : best;
  });

interface Concept {
  taxonomy: string;
  concept: string;
  entry: unknown;
}

/** The latest figure of each concept and unit, of one vocabulary or of all. */
export function facts(body: unknown, wanted: string | undefined): FinanceFacts {
  const all = Object.entries(need(object(at(body, "facts")), "facts"));
  const concepts = all
    .filter(([taxonomy]) => wanted === undefined || taxonomy === wanted)
    .flatMap(([taxonomy, entries]) =>
      Object.entries(object(entries) ?? {}).map(([concept, entry]) => ({
        taxonomy,
        concept,
        entry,
      })),
    );
  const read = ({ taxonomy, concept, entry }: Concept) =>
    unitsOf(at(entry, "units")).map(({ unit, values }) =>
      defined({
        taxonomy,
        concept,
        label: text(at(entry, "label")),
        unit,
        value_count: values.length,
        ...latestOf(values),
      }),
    );
  return {
    cik: need(cikOf(at(body, "cik")), "cik"),
    name: need(text(at(body, "entityName")), "entityName"),
    facts: rows(concepts, "facts[]", (row) => read(row as unknown as Concept)).flat(),
  };
}

export function concept(body: unknown): FinanceConcept {
  return defined({
    cik: need(cikOf(at(body, "cik")), "cik"),
    name: need(text(at(body, "entityName")), "entityName"),
    taxonomy: need(text(at(body, "taxonomy")), "taxonomy"),
    concept: need(text(at(body, "tag")), "tag"),
    label: text(at(body, "label")),
    description: text(at(body, "description")),
    units: unitsOf(at(body, "units")),
  });
}

/** The figure of one company. */
export function companyValue(row: Wire): FinanceCompanyValue {
  return defined({
    cik: need(cikOf(row.cik), "data.cik"),
    name: need(text(row.entityName), "data.entityName"),
    region: text(row.loc),
    value: need(number(row.val), "data.val"),
    period_start: text(row.start),
    period_end: text(row.end),
    accession_number: text(row.accn),
  });
}
