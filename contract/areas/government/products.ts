import * as z from "zod";
import { day, page, perPage } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { phrase } from "./input.ts";
import {
  governmentDeviceEvent,
  governmentDrugEvent,
  governmentDrugLabel,
  governmentRecall,
} from "./product-records.ts";
import { openFda } from "./sources.ts";

const sources = [openFda];
const paging = page({ most: 500, default: 20 });
const beginning = "1990-01-01";
const bounds =
  "A list ends after 26,000 records, as the source has no further pages. The figures are no basis for decisions on treatment: reports are not verified, and prove no cause.";
const sort = z
  .enum(["newest", "oldest"])
  .default("newest")
  .describe("Order by the day on which the report arrived");

export const products = [
  operation({
    id: "government.drugs.events",
    method: "GET",
    path: "/government/drugs/events",
    summary: "Reports of harmful effects of drugs",
    description: bounds,
    sources,
    input: z.strictObject({
      drug: phrase("Brand, generic name or name as reported"),
      reaction: phrase("Effect as a MedDRA term in British English, such as diarrhoea"),
      is_serious: z.boolean().optional().describe("Only serious ones, or only others"),
      from_date: day("First day of arrival", beginning).optional(),
      to_date: day("Last day of arrival", beginning).optional(),
      sort,
      ...paging,
    }),
    data: z.array(governmentDrugEvent),
    paginated: true,
    records: perPage,
    example: { drug: "sampletin", limit: 5 },
  }),
  operation({
    id: "government.drugs.labels",
    method: "GET",
    path: "/government/drugs/labels",
    summary: "Labels of drugs: what they are for, doses, warnings and ingredients",
    description: bounds,
    sources,
    input: z.strictObject({
      drug: phrase("Brand, generic name or substance"),
      manufacturer: phrase("Name of the maker"),
      set_id: z
        .string()
        .regex(/^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/, {
          message: "must be 32 hexadecimal digits in five groups",
        })
        .toLowerCase()
        .optional()
        .describe("Only the label with this id, which all its versions share"),
      ...paging,
    }),
    data: z.array(governmentDrugLabel),
    paginated: true,
    records: perPage,
    example: { drug: "sampletin", limit: 5 },
  }),
  operation({
    id: "government.devices.events",
    method: "GET",
    path: "/government/devices/events",
    summary: "Reports of harm by medical devices and of their failures",
    description: bounds,
    sources,
    input: z.strictObject({
      device: phrase("Brand or generic name of the device"),
      manufacturer: phrase("Name of the maker"),
      event_type: z
        .enum(["death", "injury", "malfunction"])
        .optional()
        .describe("Only such events"),
      from_date: day("First day of arrival", beginning).optional(),
      to_date: day("Last day of arrival", beginning).optional(),
      sort,
      ...paging,
    }),
    data: z.array(governmentDeviceEvent),
    paginated: true,
    records: perPage,
    example: { device: "sample pump", limit: 5 },
  }),
  operation({
    id: "government.recalls.search",
    method: "GET",
    path: "/government/recalls/search",
    summary: "Recalls of drugs, medical devices and food",
    description: bounds,
    sources,
    input: z.strictObject({
      product_type: z.enum(["drug", "device", "food"]).describe("Kind of product"),
      q: phrase("Words of the product's description, or of the reason"),
      firm: phrase("Name of the firm that recalls"),
      recall_class: z
        .enum(["1", "2", "3"])
        .optional()
        .describe("Only recalls of this class; 1 is the gravest danger"),
      recall_status: z
        .enum(["ongoing", "completed", "terminated"])
        .optional()
        .describe("Only recalls in this state"),
      from_date: day("First day of the report", "2004-01-01").optional(),
      to_date: day("Last day of the report", "2004-01-01").optional(),
      sort: z.enum(["newest", "oldest"]).default("newest").describe("Order by day of the report"),
      ...paging,
    }),
    data: z.array(governmentRecall),
    paginated: true,
    records: perPage,
    example: { product_type: "food", limit: 5 },
  }),
] as const;
