import type { LoggedCertificate } from "../../../contract/areas/security/certificates.ts";
import { type Wire, count, defined, need, rows, text } from "#wire";

/** The source's times have no zone; they are UTC. */
function moment(value: unknown): string | undefined {
  const given = text(value);
  return given !== undefined && /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(given) ? `${given}Z` : given;
}

/** Whether a name is the domain, or below it where those count; a wildcard is below its domain. */
function isOf(name: string, domain: string, isBelow: boolean): boolean {
  return name === domain || (isBelow && name.endsWith(`.${domain}`));
}

function certificate(row: Wire, domain: string, isBelow: boolean): LoggedCertificate | undefined {
  const id = need(count(row.id), "id");
  const names = need(text(row.name_value), "name_value")
    .toLowerCase()
    .split("\n")
    .filter((name) => isOf(name, domain, isBelow));
  if (names.length === 0) return undefined;
  return defined({
    certificate_id: id,
    names: [...new Set(names)],
    common_name: text(row.common_name),
    issuer: need(text(row.issuer_name), "issuer_name"),
    serial_number: text(row.serial_number),
    logged_at: moment(row.entry_timestamp),
    valid_from: moment(row.not_before),
    valid_until: moment(row.not_after),
    url: `https://crt.sh/?id=${id}`,
  });
}

/** The certificates of a domain, the latest first; the source's own matches are wider. */
export const certificates = (body: unknown, domain: string, isBelow: boolean) =>
  rows(body, "certificates", (row) => certificate(row, domain, isBelow)).toSorted(
    (one, other) => other.certificate_id - one.certificate_id,
  );
