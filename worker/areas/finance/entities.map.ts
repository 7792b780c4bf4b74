import type { FinanceEntity, FinanceSecurity } from "../../../contract/areas/finance/records.ts";
import { type Wire, at, count, defined, each, need, object, rows, text } from "#wire";

/** The source spells its classes in capitals: `PREVIOUS_LEGAL_NAME`. */
const word = (value: unknown) => text(value)?.toLowerCase();

function address(value: unknown): FinanceEntity["legal_address"] {
  const row = object(value);
  if (!row) return undefined;
  return defined({
    lines: each(row.addressLines, text),
    city: text(row.city),
    region: text(row.region),
    country_code: text(row.country),
    postal_code: text(row.postalCode),
  });
}

const otherName = (entry: unknown) => {
  const name = text(at(entry, "name"));
  if (name === undefined) return undefined;
  return defined({ name, language: text(at(entry, "language")), type: word(at(entry, "type")) });
};

/** The record of a legal entity, `data` of an answer or an entry of it. */
export function entity(data: Wire): FinanceEntity {
  const { lei, entity: body, registration, bic, mic } = object(data.attributes) ?? {};
  return defined({
    lei: need(text(lei), "attributes.lei"),
    name: need(text(at(body, "legalName", "name")), "entity.legalName.name"),
    language: text(at(body, "legalName", "language")),
    other_names: [
      ...each(at(body, "otherNames"), otherName),
      ...each(at(body, "transliteratedOtherNames"), otherName),
    ],
    entity_status: word(at(body, "status")),
    category: word(at(body, "category")),
    jurisdiction: text(at(body, "jurisdiction")),
    legal_form_code: text(at(body, "legalForm", "id")),
    legal_form: text(at(body, "legalForm", "other")),
    authority_id: text(at(body, "registeredAt", "id")),
    authority_number: text(at(body, "registeredAs")),
    founded_at: text(at(body, "creationDate")),
    expired_at: text(at(body, "expiration", "date")),
    expiration_reason: word(at(body, "expiration", "reason")),
    successor_lei: text(at(body, "successorEntity", "lei")),
    successor_name: text(at(body, "successorEntity", "name")),
    legal_address: address(at(body, "legalAddress")),
    headquarters_address: address(at(body, "headquartersAddress")),
    bics: each(bic, text),
    mics: each(mic, text),
    registration_status: word(at(registration, "status")),
    registered_at: text(at(registration, "initialRegistrationDate")),
    updated_at: text(at(registration, "lastUpdateDate")),
    renewal_due_at: text(at(registration, "nextRenewalDate")),
    issuer_lei: text(at(registration, "managingLou")),
    corroboration: word(at(registration, "corroborationLevel")),
  });
}

export function security(row: Wire): FinanceSecurity {
  return {
    isin: need(text(at(row.attributes, "isin")), "attributes.isin"),
    lei: need(text(at(row.attributes, "lei")), "attributes.lei"),
  };
}

/** A page of a list and the number of the last page. */
export function pageOf<T>(body: unknown, read: (row: Wire) => T) {
  const last = need(count(at(body, "meta", "pagination", "lastPage")), "meta.pagination.lastPage");
  return { rows: rows(at(body, "data"), "data", read), last };
}
