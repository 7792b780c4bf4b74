import * as z from "zod";

const brandNames = z.array(z.string()).describe("Brands of the drug");
const genericNames = z.array(z.string()).describe("Names of the drug that any maker may use");

export const governmentDrugEvent = z
  .object({
    report_id: z.string(),
    report_version: z.int().optional(),
    report_type: z.string().optional().describe("spontaneous, study or other"),
    received_date: z.string().optional().describe("Day on which the first report arrived"),
    updated_date: z.string().optional(),
    is_serious: z.boolean().optional(),
    outcomes: z
      .array(z.string())
      .describe("death, life_threatening, hospitalization, disability, congenital_anomaly, other"),
    country_code: z.string().optional(),
    reporter: z
      .string()
      .optional()
      .describe("physician, pharmacist, other_health_professional, lawyer or consumer"),
    patient_age: z.number().optional(),
    patient_age_unit: z.string().optional().describe("decade, year, month, week, day or hour"),
    patient_age_group: z.string().optional(),
    patient_sex: z.string().optional().describe("male or female; absent where it is not known"),
    patient_weight_kg: z.number().optional(),
    reactions: z.array(
      z.object({
        reaction: z.string(),
        outcome: z.string().optional(),
      }),
    ),
    drugs: z.array(
      z.object({
        name: z.string(),
        role: z.string().optional().describe("suspect, concomitant or interacting"),
        substance: z.string().optional(),
        indication: z.string().optional(),
        dosage: z.string().optional(),
        dosage_form: z.string().optional(),
        start_date: z.string().optional(),
        end_date: z.string().optional(),
        brand_names: brandNames,
        generic_names: genericNames,
      }),
    ),
  })
  .meta({ id: "GovernmentDrugEvent" });

const part = (description: string) => z.string().optional().describe(description);

export const governmentDrugLabel = z
  .object({
    label_id: z.string(),
    set_id: z.string().optional(),
    label_version: z.string().optional(),
    effective_date: z.string().optional(),
    brand_names: brandNames,
    generic_names: genericNames,
    substances: z.array(z.string()),
    manufacturer_names: z.array(z.string()),
    product_types: z.array(z.string()),
    routes: z.array(z.string()),
    ndc_codes: z.array(z.string()),
    rxcuis: z.array(z.string()),
    application_numbers: z.array(z.string()),
    purpose: part("What an over-the-counter drug is for"),
    indications: part("What the drug is for"),
    dosage: part("How much to take, and how"),
    boxed_warning: part("The gravest risks"),
    warnings: part("Risks"),
    contraindications: part("Who must not take it"),
    adverse_reactions: part("Known harmful effects"),
    drug_interactions: part("Effects of other drugs on it"),
    pregnancy: part("Use in pregnancy"),
    overdosage: part("Signs and treatment of too much of it"),
    active_ingredient: part("Substances that act"),
    inactive_ingredient: part("Other substances"),
    label_description: part("Chemistry and form of the drug"),
    storage: part("How it is supplied and stored"),
  })
  .meta({ id: "GovernmentDrugLabel" });

export const governmentRecall = z
  .object({
    recall_number: z.string(),
    event_id: z.string().optional(),
    product_type: z.string().optional().describe("drug, device or food"),
    recall_class: z.string().optional(),
    recall_status: z.string().optional(),
    recalling_firm: z.string().optional(),
    product_description: z.string().optional(),
    product_quantity: z.string().optional(),
    reason: z.string().optional(),
    lots: z.string().optional(),
    distribution: z.string().optional(),
    initiated_by: z.string().optional(),
    notified_by: z.string().optional(),
    city: z.string().optional(),
    state_code: z.string().optional(),
    country: z.string().optional(),
    initiated_date: z.string().optional(),
    classified_date: z.string().optional(),
    reported_date: z.string().optional(),
    terminated_date: z.string().optional(),
    brand_names: brandNames,
    generic_names: genericNames,
  })
  .meta({ id: "GovernmentRecall" });

export const governmentDeviceEvent = z
  .object({
    report_id: z.string(),
    report_number: z.string().optional(),
    event_type: z.string().optional(),
    event_date: z.string().optional(),
    received_date: z.string().optional(),
    reported_date: z.string().optional(),
    report_source: z.string().optional(),
    is_health_professional: z.boolean().optional(),
    reporter: z.string().optional().describe("Occupation of the reporter"),
    manufacturer: z.string().optional(),
    problems: z.array(z.string()).describe("What was wrong with the device"),
    devices: z.array(
      z.object({
        brand_name: z.string().optional(),
        generic_name: z.string().optional(),
        manufacturer: z.string().optional(),
        model_number: z.string().optional(),
        catalog_number: z.string().optional(),
        lot_number: z.string().optional(),
        product_code: z.string().optional(),
        device_class: z.string().optional(),
        device_name: z.string().optional(),
        regulation_number: z.string().optional(),
      }),
    ),
    narratives: z.array(z.object({ narrative_type: z.string().optional(), text: z.string() })),
    patient_outcomes: z.array(z.string()).describe("What became of the patients"),
  })
  .meta({ id: "GovernmentDeviceEvent" });

export type GovernmentDrugEvent = z.output<typeof governmentDrugEvent>;
export type GovernmentDrugLabel = z.output<typeof governmentDrugLabel>;
export type GovernmentRecall = z.output<typeof governmentRecall>;
export type GovernmentDeviceEvent = z.output<typeof governmentDeviceEvent>;
