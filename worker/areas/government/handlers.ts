import type { government } from "../../../contract/areas/government/index.ts";
import type { Connector } from "../../connector.ts";
import { bills } from "./bills.ts";
import { documents } from "./documents.ts";
import { members } from "./members.ts";
import { products } from "./products.ts";
import { spending } from "./spending.ts";

export default {
  ...spending,
  ...bills,
  ...members,
  ...documents,
  ...products,
} satisfies Connector<typeof government>;
