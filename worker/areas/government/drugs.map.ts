import type {
  GovernmentDrugEvent,
  GovernmentDrugLabel,
} from "../../../contract/areas/government/product-records.ts";
import { type Wire, at, boolean, defined, each, integer, need, number, text } from "#wire";
import { day, trimmed, wordOf } from "./read.map.ts";

const reportTypes = { 1: "spontaneous", 2: "study", 3: "other" };
const reporters = {
  1: "physician",
  2: "pharmacist",
  3: "other_health_professional",
  4: "lawyer",
  5: "consumer",
};
const ageUnits = {
  800: "decade",
  801: "year",
  802: "month",
  803: "week",
  804: "day",
  805: "hour",
};
const ageGroups = {
  1: "neonate",
  2: "infant",
  3: "child",
  4: "adolescent",
  5: "adult",
  6: "elderly",
};
const sexes = { 1: "male", 2: "female" };
const roles = { 1: "suspect", 2: "concomitant", 3: "interacting" };
const reactionOutcomes = {
  1: "recovered",
  2: "recovering",
  3: "not_recovered",
  4: "recovered_with_sequelae",
  5: "fatal",
  6: "unknown",
};

/** Members that are 1 where the report states such an outcome. */
const outcomes: readonly (readonly [wire: string, outcome: string])[] = [
  ["seriousnessdeath", "death"],
  ["seriousnesslifethreatening", "life_threatening"],
  ["seriousnesshospitalization", "hospitalization"],
  ["seriousnessdisabling", "disability"],
  ["seriousnesscongenitalanomali", "congenital_anomaly"],
  ["seriousnessother", "other"],
];

/** Whether the source's 1 or 2, its yes and no, says yes. */
const yesOrNo = (value: unknown) => {
  const code = integer(value);
  return code === 1 ? true : code === 2 ? false : undefined;
};

function reaction(entry: unknown): GovernmentDrugEvent["reactions"][number] | undefined {
  const term = text(at(entry, "reactionmeddrapt"));
  if (term === undefined) return undefined;
  return defined({
    reaction: term,
    outcome: wordOf(reactionOutcomes, at(entry, "reactionoutcome")),
  });
}

function drug(entry: unknown): GovernmentDrugEvent["drugs"][number] | undefined {
  const name = trimmed(at(entry, "medicinalproduct"));
  if (name === undefined) return undefined;
  return defined({
    name,
    role: wordOf(roles, at(entry, "drugcharacterization")),
    substance: text(at(entry, "activesubstance", "activesubstancename")),
    indication: text(at(entry, "drugindication")),
    dosage: trimmed(at(entry, "drugdosagetext")),
    dosage_form: text(at(entry, "drugdosageform")),
    start_date: day(at(entry, "drugstartdate")),
    end_date: day(at(entry, "drugenddate")),
    brand_names: each(at(entry, "openfda", "brand_name"), text),
    generic_names: each(at(entry, "openfda", "generic_name"), text),
  });
}

export function drugEvent(row: Wire): GovernmentDrugEvent {
  const { patient } = row;
  return defined({
    report_id: need(text(row.safetyreportid), "safetyreportid"),
    report_version: integer(row.safetyreportversion),
    report_type: wordOf(reportTypes, row.reporttype),
    received_date: day(row.receivedate),
    updated_date: day(row.receiptdate),
    is_serious: yesOrNo(row.serious),
    outcomes: outcomes.flatMap(([wire, outcome]) =>
      boolean(integer(row[wire])) === true ? [outcome] : [],
    ),
    country_code: text(row.occurcountry) ?? text(row.primarysourcecountry),
    reporter: wordOf(reporters, at(row.primarysource, "qualification")),
    patient_age: number(at(patient, "patientonsetage")),
    patient_age_unit: wordOf(ageUnits, at(patient, "patientonsetageunit")),
    patient_age_group: wordOf(ageGroups, at(patient, "patientagegroup")),
    patient_sex: wordOf(sexes, at(patient, "patientsex")),
    patient_weight_kg: number(at(patient, "patientweight")),
    reactions: each(at(patient, "reaction"), reaction),
    drugs: each(at(patient, "drug"), drug),
  });
}

/** A part of a label is a list of texts, nearly always of one. */
function part(...values: unknown[]): string | undefined {
  for (const value of values) {
    const words = each(value, text).join("\n\n").trim();
    if (words !== "") return words;
  }
  return undefined;
}

export function drugLabel(row: Wire): GovernmentDrugLabel {
  const names = (name: string) => each(at(row.openfda, name), text);
  return defined({
    label_id: need(text(row.id), "id"),
    set_id: text(row.set_id),
    label_version: text(row.version),
    effective_date: day(row.effective_time),
    brand_names: names("brand_name"),
    generic_names: names("generic_name"),
    substances: names("substance_name"),
    manufacturer_names: names("manufacturer_name"),
    product_types: names("product_type"),
    routes: names("route"),
    ndc_codes: names("product_ndc"),
    rxcuis: names("rxcui"),
    application_numbers: names("application_number"),
    purpose: part(row.purpose),
    indications: part(row.indications_and_usage),
    dosage: part(row.dosage_and_administration),
    boxed_warning: part(row.boxed_warning),
    warnings: part(row.warnings_and_cautions, row.warnings),
    contraindications: part(row.contraindications),
    adverse_reactions: part(row.adverse_reactions),
    drug_interactions: part(row.drug_interactions),
    pregnancy: part(row.pregnancy, row.pregnancy_or_breast_feeding),
    overdosage: part(row.overdosage),
    active_ingredient: part(row.active_ingredient),
    inactive_ingredient: part(row.inactive_ingredient),
    label_description: part(row.description),
    storage: part(row.how_supplied, row.storage_and_handling),
  });
}
