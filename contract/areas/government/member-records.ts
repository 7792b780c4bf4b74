import * as z from "zod";
import { billIdentity } from "./bill-records.ts";

const year = (description: string) => z.int().optional().describe(description);
const firstYear = year("First year of it");
const lastYear = year("Last year of it; absent while it lasts");
const chamber = z.string().optional().describe("House of Representatives or Senate");
const partyName = z.string().optional().describe("Party, in words: Democratic");
const district = z
  .string()
  .optional()
  .describe("Of the House only; 0 where the state has a single member");

const identity = {
  bioguide_id: z.string().describe("Id in the Biographical Directory of the Congress: L000174"),
  name: z.string(),
  party_name: partyName,
  state: z.string().optional().describe("State or territory, in words"),
  district,
  image_url: z.string().optional(),
  image_attribution: z.string().optional().describe("Who to name beside the picture, as HTML"),
  updated_at: z.string().optional().describe("When the record last changed, ISO 8601"),
};

export const governmentMemberFound = z
  .object({
    ...identity,
    terms: z
      .array(z.object({ chamber, start_year: firstYear, end_year: lastYear }))
      .describe("Times in a chamber"),
  })
  .meta({ id: "GovernmentMemberFound" });

const term = z
  .object({
    congress: z.int().optional().describe("Number of the congress; each lasts two years"),
    chamber,
    role: z
      .string()
      .optional()
      .describe("Senator, Representative, Delegate or Resident Commissioner"),
    state: z.string().optional(),
    state_code: z.string().optional(),
    district,
    start_year: firstYear,
    end_year: lastYear,
  })
  .meta({ id: "GovernmentMemberTerm" });

export const governmentMember = z
  .object({
    ...identity,
    first_name: z.string().optional(),
    middle_name: z.string().optional().describe("Middle names or their initials"),
    last_name: z.string().optional(),
    suffix: z.string().optional().describe("Behind the last name, such as Jr."),
    nickname: z.string().optional().describe("Name by which the member is known"),
    honorific: z.string().optional().describe("Form of address, such as Ms."),
    party: z.string().optional().describe("Letter of the present party, or the last one"),
    is_current: z.boolean().optional().describe("Serves at present"),
    birth_year: year("Year of birth"),
    death_year: year("Year of death"),
    terms: z.array(term).describe("One of each congress, oldest first"),
    parties: z
      .array(
        z.object({
          party: z.string().optional(),
          party_name: partyName,
          start_year: firstYear,
          end_year: lastYear,
        }),
      )
      .describe("All parties so far, oldest first"),
    leadership: z
      .array(
        z.object({
          role: z.string(),
          congress: z.int().optional().describe("Number of the congress"),
          is_current: z.boolean().optional(),
        }),
      )
      .describe("Positions of leadership, such as President Pro Tempore"),
    website_url: z.string().optional(),
    office_address: z.string().optional().describe("Room and building of the office in Washington"),
    office_city: z.string().optional().describe("City of the office"),
    office_zip_code: z.string().optional().describe("Postal code of the office"),
    phone: z.string().optional(),
    sponsored_count: z.int().min(0).optional().describe("Bills and resolutions as sponsor"),
    cosponsored_count: z.int().min(0).optional().describe("Bills and resolutions as cosponsor"),
  })
  .meta({ id: "GovernmentMember" });

const { origin_chamber: _chamber, updated_date: _updated, ...bill } = billIdentity;

export const governmentMemberBill = z
  .object({
    ...bill,
    introduced_date: z.string().optional(),
    policy_area: z.string().optional(),
  })
  .meta({ id: "GovernmentMemberBill" });

export type GovernmentMemberFound = z.output<typeof governmentMemberFound>;
export type GovernmentMember = z.output<typeof governmentMember>;
export type GovernmentMemberBill = z.output<typeof governmentMemberBill>;
