import * as z from "zod";
import { id } from "../../fields.ts";

const lower = (given: string) => given.trim().toLowerCase();

export const awardId = id(
  /^(CONT|ASST)_(AWD|IDV|NON|AGG)_[!-~]{1,180}$/,
  "Award",
  "the source's id of up to 189 characters without blanks, such as CONT_AWD_H907_9700_SPE2DX16D1500_9700",
);

export const recipientId = id(
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-[RPC]$/,
  "Recipient",
  "32 hexadecimal digits in five groups and a letter for its level: P, C or R",
);

export const agencyCode = id(
  /^[0-9]{3,4}$/,
  "Agency",
  "a code of the treasury of 3 or 4 digits, such as 097",
);

export const fiscalYear = z
  .int()
  .min(2017)
  .max(2099)
  .optional()
  .describe("Budget year, which begins in October of the year before; the current one by default");

/** Kinds of bills and resolutions, in the chamber's abbreviations. */
export const billTypes = [
  "hr",
  "s",
  "hjres",
  "sjres",
  "hconres",
  "sconres",
  "hres",
  "sres",
] as const;

export const billId = id(
  /^[1-9][0-9]{0,2}-(hr|s|hjres|sjres|hconres|sconres|hres|sres)-[1-9][0-9]{0,5}$/,
  "Bill",
  "number of the congress, kind and number with dashes between them, such as 117-hr-3076",
  lower,
);

export const bioguideId = id(
  /^[A-Z][0-9]{6}$/,
  "Member",
  "a letter and six digits of the Biographical Directory of the Congress, such as L000174",
  (given) => given.trim().toUpperCase(),
);

export const documentNumber = id(
  /^[A-Za-z0-9]{1,10}-[A-Za-z0-9]{1,10}(-[A-Za-z0-9]{1,10})?$/,
  "Document",
  "the register's number of two or three parts with dashes between them, such as 2024-05678",
);

/** Text that stands between quotation marks in a search expression of the source. */
export const phrase = (description: string) =>
  z.string().trim().min(2).max(200).optional().describe(description);
