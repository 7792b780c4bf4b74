import type {
  AddressRegistration,
  DomainRegistration,
} from "../../../contract/areas/security/registrations.ts";
import { type Wire, array, at, boolean, defined, each, id, need, object, text } from "#wire";

/** Registrations in the form of RFC 9083. */

export function domainRegistration(body: unknown): DomainRegistration {
  const row = need(object(body), "domain");
  const registrar = entityWith(row, "registrar");
  return defined({
    domain: plainName(need(text(row.ldhName), "domain.ldhName")),
    ...common(row),
    registrar: nameOf(registrar),
    registrar_id: each(registrar?.publicIds, (entry) =>
      at(entry, "type") === "IANA Registrar ID" ? id(at(entry, "identifier")) : undefined,
    )[0],
    expires_at: eventOf(row, "expiration"),
    name_servers: each(row.nameservers, (server) => {
      const name = text(at(server, "ldhName"));
      return name === undefined ? undefined : plainName(name);
    }),
    is_signed: boolean(at(row, "secureDNS", "delegationSigned")),
  });
}

export function addressRegistration(body: unknown): AddressRegistration {
  const row = need(object(body), "network");
  return defined({
    name: text(row.name),
    start_address: need(text(row.startAddress), "network.startAddress"),
    end_address: need(text(row.endAddress), "network.endAddress"),
    ip_version: text(row.ipVersion),
    network_type: text(row.type),
    parent_handle: text(row.parentHandle),
    country_code: text(row.country),
    ...common(row),
  });
}

const common = (row: Wire) => ({
  handle: text(row.handle),
  statuses: each(row.status, text),
  registrant: nameOf(entityWith(row, "registrant")),
  abuse_email: vcard(entityWith(row, "abuse"), "email"),
  registered_at: eventOf(row, "registration"),
  changed_at: eventOf(row, "last changed"),
});

const plainName = (name: string) => name.toLowerCase().replace(/\.$/, "");

/** Registries state their own offsets. */
function inUtc(given: string | undefined): string | undefined {
  const date = new Date(given ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const eventOf = (row: Wire, action: string) =>
  each(row.events, (event) =>
    at(event, "eventAction") === action ? inUtc(text(at(event, "eventDate"))) : undefined,
  )[0];

/** The first entity with a role, also among the entities of others: a registrar holds its abuse contact. */
function entityWith(row: Wire, role: string, depth = 0): Wire | undefined {
  const entities = each(row.entities, object);
  const own = entities.find((entity) => each(entity.roles, text).includes(role));
  if (own || depth === 2) return own;
  for (const entity of entities) {
    const inner = entityWith(entity, role, depth + 1);
    if (inner) return inner;
  }
  return undefined;
}

/** A text of a jCard (RFC 7095): `["vcard", [[name, {}, "text", value], …]]`. */
function vcard(entity: Wire | undefined, name: string): string | undefined {
  const lines = array(at(entity, "vcardArray", 1)) ?? [];
  return text(
    at(
      lines.find((line) => at(line, 0) === name),
      3,
    ),
  );
}

const nameOf = (entity: Wire | undefined) => vcard(entity, "org") ?? vcard(entity, "fn");
