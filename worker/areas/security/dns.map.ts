import type { DnsAnswer } from "../../../contract/areas/security/index.ts";
import { array, at, boolean, count, need, rows, text } from "#wire";

/** Numbers of the kinds of records (IANA, Domain Name System parameters). */
const typeNumbers: Readonly<Record<number, string>> = {
  1: "A",
  2: "NS",
  5: "CNAME",
  6: "SOA",
  12: "PTR",
  15: "MX",
  16: "TXT",
  28: "AAAA",
  33: "SRV",
  39: "DNAME",
  43: "DS",
  46: "RRSIG",
  48: "DNSKEY",
  52: "TLSA",
  65: "HTTPS",
  257: "CAA",
};

/** The answer to a question; without any record it has no list at all. */
export function dnsAnswer(name: string, type: DnsAnswer["type"], body: unknown): DnsAnswer {
  const list = at(body, "Answer");
  return {
    name,
    type,
    is_authenticated: boolean(at(body, "AD")) ?? false,
    records: rows(array(list) ?? [], "Answer", (row) => {
      const number = need(count(row.type), "Answer.type");
      const data = need(text(row.data), "Answer.data");
      return {
        name: withoutDot(need(text(row.name), "Answer.name")),
        type: typeNumbers[number] ?? `TYPE${number}`,
        ttl: need(count(row.TTL), "Answer.TTL"),
        data: number === 16 ? inOnePiece(data) : data,
      };
    }),
  };
}

const withoutDot = (name: string) => (name.length > 1 ? name.replace(/\.$/, "") : name);

/** A TXT record may come as quoted pieces of 255 bytes: `"v=spf1 " "-all"`. */
function inOnePiece(data: string): string {
  const pieces = data.match(/"(?:[^"\\]|\\.)*"/g);
  if (!pieces || !data.startsWith('"')) return data;
  return Buffer.concat(pieces.flatMap((piece) => bytesOf(piece.slice(1, -1)))).toString();
}

/** Bytes that are no ASCII come as their decimal numbers: `\195\169` is an é (RFC 1035, 5.1). */
const bytesOf = (piece: string): Buffer[] =>
  (piece.match(/\\(?:[01]\d\d|2[0-4]\d|25[0-5]|.)|[^\\]+/gs) ?? []).map((part) =>
    /^\\\d{3}$/.test(part)
      ? Buffer.of(Number(part.slice(1)))
      : Buffer.from(part.replace(/^\\/, "")),
  );
