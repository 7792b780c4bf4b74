import { area } from "../../operation.ts";
import { bills } from "./bills.ts";
import { documents } from "./documents.ts";
import { members } from "./members.ts";
import { products } from "./products.ts";
import { spending } from "./spending.ts";

export const government = area({
  name: "government",
  summary:
    "Of the United States: awards and spending, bills, members of Congress, the Federal Register, reports and recalls of drugs, devices and food",
  pool: "social",
  operations: [...spending, ...bills, ...members, ...documents, ...products],
});
