import * as z from "zod";
import { id } from "../../fields.ts";
import type { Source } from "../../source.ts";

/** Registrations of domains and addresses, from the registries' RDAP services. */

export const rdapServices: Source = {
  name: "RDAP services of the registries",
  url: "https://www.iana.org/domains/rdap",
  licence: "terms of each registry",
  terms: "https://www.icann.org/rdap",
};

const moment = (what: string) => z.string().describe(`${what}, ISO 8601 in UTC`).optional();

const common = {
  handle: z.string().optional().describe("Id of the registration at its registry"),
  statuses: z
    .array(z.string())
    .describe("Statuses in the words of RDAP: active, client transfer prohibited, …"),
  registrant: z.string().optional().describe("Holder; often withheld"),
  abuse_email: z.string().optional().describe("Address for reports of abuse"),
  registered_at: moment("When it was registered"),
  changed_at: moment("When the registration was last changed"),
};

export const domainRegistration = z
  .object({
    domain: z.string().describe("Domain in small letters"),
    ...common,
    registrar: z.string().optional().describe("Name of the registrar"),
    registrar_id: z.string().optional().describe("Number of the registrar at IANA"),
    expires_at: moment("When it expires"),
    name_servers: z.array(z.string()).describe("Name servers in small letters"),
    is_signed: z.boolean().optional().describe("Whether DNSSEC secures the delegation"),
  })
  .meta({ id: "DomainRegistration" });

export const addressRegistration = z
  .object({
    name: z.string().optional().describe("Name of the network"),
    start_address: z.string().describe("First address of the network"),
    end_address: z.string().describe("Last address of the network"),
    ip_version: z.string().optional().describe("v4 or v6"),
    network_type: z.string().optional().describe("Kind of allocation, in the registry's words"),
    parent_handle: z.string().optional().describe("Id of the network that holds this one"),
    country_code: z.string().optional().describe("Code of the country, as the holder states it"),
    ...common,
  })
  .meta({ id: "AddressRegistration" });

export type DomainRegistration = z.output<typeof domainRegistration>;
export type AddressRegistration = z.output<typeof addressRegistration>;

export const domainInput = id(
  /^[a-z0-9][a-z0-9-]{0,62}(\.[a-z0-9][a-z0-9-]{0,62}){1,10}$/,
  "Domain",
  "2 to 11 parts of up to 63 letters, digits or `-`, with dots between them; other scripts as Punycode (`xn--…`)",
  (given) => given.toLowerCase().replace(/\.$/, ""),
);

export const addressInput = id(
  /^([0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9a-f]{0,4}(:[0-9a-f]{0,4}){2,7})$/,
  "Address",
  "an IPv4 address, or an IPv6 address of up to 39 characters",
  (given) => given.toLowerCase(),
);
