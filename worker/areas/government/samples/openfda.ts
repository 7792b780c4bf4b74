import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary, type Vary } from "../../../sandbox/vary.ts";

const listed = { usual: 30, long: 60 };

function paged(request: SampleRequest, make: (v: Vary, index: number) => object) {
  const { query, empty, secondPage } = request;
  if (empty) return { error: { code: "NOT_FOUND", message: "No matches found!" } };
  const total = secondPage ? listed.long : listed.usual;
  const [skip, limit] = [Number(query?.skip), Number(query?.limit)];
  const seed = `${request.path} ${query?.search}`;
  return {
    meta: {
      disclaimer: "Do not rely on these samples.",
      terms: "https://open.fda.gov/terms/",
      license: "https://open.fda.gov/license/",
      last_updated: "2026-03-01",
      results: { skip, limit, total },
    },
    results: slice({ total, offset: skip, count: limit }, (index) =>
      make(vary("openfda", seed, index), index),
    ),
  };
}

const day = (index: number) => `202603${String(28 - (index % 28)).padStart(2, "0")}`;

const drugNames = {
  brand_name: ["SAMPLETIN"],
  generic_name: ["SAMPLE ACID"],
  substance_name: ["SAMPLE ACID"],
  manufacturer_name: ["The Sample Company"],
  product_type: ["HUMAN PRESCRIPTION DRUG"],
  route: ["ORAL"],
  product_ndc: ["0389-0486"],
  rxcui: ["308395"],
  application_number: ["NDA021223"],
};

const drugEvent = (v: Vary, index: number) => ({
  safetyreportid: v.digits("id", 8),
  safetyreportversion: "2",
  reporttype: v.pick("type", ["1", "2", "3"]),
  receivedateformat: "102",
  receivedate: day(index),
  receiptdateformat: "102",
  receiptdate: "20260329",
  serious: index % 2 === 0 ? "1" : "2",
  ...(index % 2 === 0
    ? {
        seriousnessdeath: "1",
        seriousnesslifethreatening: "1",
        seriousnesshospitalization: "1",
        seriousnessdisabling: "1",
        seriousnesscongenitalanomali: "1",
        seriousnessother: "1",
      }
    : {}),
  occurcountry: index % 3 === 2 ? null : "US",
  primarysourcecountry: "GB",
  primarysource: { qualification: v.pick("reporter", ["1", "3", "5"]), reportercountry: "GB" },
  patient: {
    patientonsetage: String(v.int("age", 1, 90)),
    patientonsetageunit: "801",
    patientagegroup: v.pick("group", ["3", "5", "6"]),
    patientsex: v.pick("sex", ["1", "2"]),
    patientweight: String(v.int("weight", 40, 120)),
    reaction: [
      { reactionmeddraversionpt: "27.1", reactionmeddrapt: "Nausea", reactionoutcome: "1" },
      { reactionmeddrapt: v.pick("reaction", words), reactionoutcome: "6" },
    ],
    drug: [
      {
        drugcharacterization: v.pick("role", ["1", "2"]),
        medicinalproduct: "SAMPLETIN. ",
        activesubstance: { activesubstancename: "SAMPLE ACID" },
        drugindication: "PAIN",
        drugdosagetext: "3.5 MG, AS NECESSARY",
        drugdosageform: "Tablet",
        drugstartdate: "20260103",
        drugenddate: "202602",
        openfda: drugNames,
      },
    ],
  },
});

const drugLabel = (v: Vary, index: number) => ({
  id: `label-${v.digits("id", 8)}`,
  set_id: `set-${v.digits("set", 8)}`,
  version: String(v.int("version", 1, 30)),
  effective_time: day(index),
  openfda: drugNames,
  purpose: ["Pain reliever"],
  indications_and_usage: [`For ${v.pick("use", words)}.`],
  dosage_and_administration: ["One tablet.", "Twice a day."],
  boxed_warning: ["WARNING: samples"],
  ...(index % 2 === 0
    ? { warnings_and_cautions: ["Ask a doctor."], pregnancy: ["Not known."] }
    : { warnings: ["Ask a nurse."], pregnancy_or_breast_feeding: ["Ask first."] }),
  contraindications: ["Allergy to samples"],
  adverse_reactions: ["Nausea"],
  drug_interactions: ["Alcohol"],
  overdosage: ["Call for help."],
  active_ingredient: ["Sample acid 5 mg"],
  inactive_ingredient: ["Starch"],
  description: ["White tablets"],
  ...(index % 2 === 0
    ? { how_supplied: ["Bottles of 100"] }
    : { storage_and_handling: ["Keep dry."] }),
});

const recall = (product_type: string) => (v: Vary, index: number) => ({
  recall_number: `F-${v.digits("number", 4)}-2026`,
  event_id: v.digits("event", 5),
  product_type,
  classification: v.pick("class", ["Class I", "Class II", "Class III"]),
  status: v.pick("status", ["Ongoing", "Completed", "Terminated"]),
  recalling_firm: "Sample Creamery ",
  product_description: `${v.pick("product", words)}, 3 gallons.`,
  product_quantity: "81 containers",
  reason_for_recall: "May contain undeclared samples.",
  code_info: "Lot 38-25",
  distribution_pattern: "ND, AZ, MN",
  voluntary_mandated: "Voluntary: Firm initiated",
  initial_firm_notification: "Letter",
  city: "Sampleton",
  state: "ND",
  country: "United States",
  recall_initiation_date: "20260120",
  center_classification_date: "20260128",
  report_date: day(index),
  termination_date: "20260330",
  openfda: product_type === "Drugs" ? drugNames : {},
});

const deviceEvent = (v: Vary, index: number) => ({
  mdr_report_key: v.digits("key", 7),
  report_number: `2024168-2026-${v.digits("number", 5)}`,
  event_type: v.pick("type", ["Malfunction", "Injury", "Death"]),
  date_of_event: "20260102",
  date_received: day(index),
  date_report: "20260202",
  report_source_code: "Manufacturer report",
  health_professional: index % 2 === 0 ? "Y" : "N",
  reporter_occupation_code: "PHYSICIAN",
  manufacturer_name: "SAMPLE VASCULAR",
  product_problems: ["Difficult to Advance"],
  device: [
    {
      brand_name: `${v.pick("brand", words)} PUMP`,
      generic_name: "SAMPLE PUMP",
      manufacturer_d_name: "SAMPLE VASCULAR",
      model_number: "M-1",
      catalog_number: "1009541-28",
      lot_number: "1050441",
      device_report_product_code: "NIQ",
      openfda: {
        device_class: "3",
        device_name: "Pump, Sample",
        medical_specialty_description: "Unknown",
        regulation_number: "880.5725",
      },
    },
  ],
  mdr_text: [
    {
      mdr_text_key: v.digits("text", 7),
      patient_sequence_number: "1",
      text: "The pump stopped.",
      text_type_code: "Description of Event or Problem",
    },
  ],
  patient: [
    {
      date_received: day(index),
      patient_sequence_number: "1",
      sequence_number_outcome: ["Hospitalization"],
      sequence_number_treatment: [""],
    },
  ],
});

/** Sample answers of openFDA, written for this project. */
export const openFda: Samples = {
  upstream: "openfda",
  answers: {
    "GET /drug/event.json": (request) => paged(request, drugEvent),
    "GET /drug/label.json": (request) => paged(request, drugLabel),
    "GET /device/event.json": (request) => paged(request, deviceEvent),
    "GET /drug/enforcement.json": (request) => paged(request, recall("Drugs")),
    "GET /device/enforcement.json": (request) => paged(request, recall("Devices")),
    "GET /food/enforcement.json": (request) => paged(request, recall("Food")),
  },
  faults: {
    not_found: { status: 404, body: undefined },
    upstream_error: { status: 400, body: { error: { code: "BAD_REQUEST" } } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
