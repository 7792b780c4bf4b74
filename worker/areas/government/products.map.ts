import type {
  GovernmentDeviceEvent,
  GovernmentRecall,
} from "../../../contract/areas/government/product-records.ts";
import { type Wire, array, at, count, defined, each, id, need, rows, text } from "#wire";
import { day, trimmed, wordOf } from "./read.map.ts";

const productTypes = { Drugs: "drug", Devices: "device", Food: "food" };

export function recall(row: Wire): GovernmentRecall {
  return defined({
    recall_number: need(text(row.recall_number), "recall_number"),
    event_id: id(row.event_id),
    product_type: wordOf(productTypes, row.product_type),
    recall_class: text(row.classification),
    recall_status: text(row.status),
    recalling_firm: trimmed(row.recalling_firm),
    product_description: trimmed(row.product_description),
    product_quantity: trimmed(row.product_quantity),
    reason: trimmed(row.reason_for_recall),
    lots: trimmed(row.code_info),
    distribution: trimmed(row.distribution_pattern),
    initiated_by: text(row.voluntary_mandated),
    notified_by: text(row.initial_firm_notification),
    city: text(row.city),
    state_code: text(row.state),
    country: text(row.country),
    initiated_date: day(row.recall_initiation_date),
    classified_date: day(row.center_classification_date),
    reported_date: day(row.report_date),
    terminated_date: day(row.termination_date),
    brand_names: each(at(row.openfda, "brand_name"), text),
    generic_names: each(at(row.openfda, "generic_name"), text),
  });
}

function device(entry: unknown): GovernmentDeviceEvent["devices"][number] {
  return defined({
    brand_name: trimmed(at(entry, "brand_name")),
    generic_name: trimmed(at(entry, "generic_name")),
    manufacturer: trimmed(at(entry, "manufacturer_d_name")),
    model_number: trimmed(at(entry, "model_number")),
    catalog_number: trimmed(at(entry, "catalog_number")),
    lot_number: trimmed(at(entry, "lot_number")),
    product_code: text(at(entry, "device_report_product_code")),
    device_class: text(at(entry, "openfda", "device_class")),
    device_name: text(at(entry, "openfda", "device_name")),
    regulation_number: text(at(entry, "openfda", "regulation_number")),
  });
}

function narrative(entry: unknown): GovernmentDeviceEvent["narratives"][number] | undefined {
  const words = trimmed(at(entry, "text"));
  if (words === undefined) return undefined;
  return defined({ narrative_type: text(at(entry, "text_type_code")), text: words });
}

const flags: Readonly<Record<string, boolean>> = { Y: true, N: false };

export function deviceEvent(row: Wire): GovernmentDeviceEvent {
  const flag = text(row.health_professional);
  return defined({
    report_id: need(text(row.mdr_report_key), "mdr_report_key"),
    report_number: text(row.report_number),
    event_type: text(row.event_type),
    event_date: day(row.date_of_event),
    received_date: day(row.date_received),
    reported_date: day(row.date_report),
    report_source: text(row.report_source_code),
    is_health_professional: flag === undefined ? undefined : flags[flag],
    reporter: text(row.reporter_occupation_code),
    manufacturer: trimmed(row.manufacturer_name),
    problems: each(row.product_problems, text),
    devices: each(row.device, device),
    narratives: each(row.mdr_text, narrative),
    patient_outcomes: (array(row.patient) ?? []).flatMap((one) =>
      each(at(one, "sequence_number_outcome"), trimmed),
    ),
  });
}

/** Records of a page and the number of all; an answer that names the error of no match has none. */
export function productPage<Row>(body: unknown, read: (row: Wire) => Row) {
  if (at(body, "error", "code") === "NOT_FOUND") return { rows: [], total: 0 };
  return {
    rows: rows(at(body, "results"), "results", read),
    total: need(count(at(body, "meta", "results", "total")), "meta.results.total"),
  };
}
