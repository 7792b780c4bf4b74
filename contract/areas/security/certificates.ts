import * as z from "zod";
import type { Source } from "../../source.ts";

/** Certificates in the public logs of certificate transparency (RFC 6962). */

export const crtSh: Source = {
  name: "crt.sh",
  url: "https://crt.sh",
  licence: "terms of use",
  terms: "https://github.com/crtsh",
};

const moment = (what: string) => z.string().describe(`${what}, ISO 8601 in UTC`).optional();

export const loggedCertificate = z
  .object({
    certificate_id: z.int().describe("Number of the certificate at crt.sh"),
    names: z
      .array(z.string())
      .describe("Domains and addresses in the certificate that the search matches"),
    common_name: z.string().optional().describe("Name of the subject"),
    issuer: z.string().describe("Distinguished name of the authority that issued it"),
    serial_number: z.string().optional().describe("Serial number, hexadecimal"),
    logged_at: moment("When a log first held it"),
    valid_from: moment("Begin of its validity"),
    valid_until: moment("End of its validity"),
    url: z.string().describe("Page of the certificate at crt.sh"),
  })
  .meta({ id: "LoggedCertificate" });

export type LoggedCertificate = z.output<typeof loggedCertificate>;
