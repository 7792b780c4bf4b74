import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 30, long: 150 };

function certificates({ query, empty, secondPage }: SampleRequest) {
  const domain = String(query?.q);
  const total = empty ? 0 : secondPage ? listed.long : listed.usual;
  const isWide = query?.match === "ILIKE";
  return slice({ total, offset: 0, count: total }, (index) => {
    const v = vary("certificate", domain, index);
    const names = isWide ? [`www${index}.${domain}`, `*.${domain}`, "other.example"] : [domain];
    return {
      issuer_ca_id: v.int("authority", 1, 99_999),
      issuer_name: "C=US, O=Sample Trust, CN=S3",
      common_name: names[0],
      name_value: names.join("\n"),
      id: 15_000_000_000 - index * 7,
      entry_timestamp: "2026-03-22T16:20:13.18",
      not_before: "2026-03-22T00:00:00",
      not_after: "2026-06-20T23:59:59",
      serial_number: v.digits("serial", 20),
      result_count: names.length,
    };
  });
}

/** Sample answers of crt.sh, written for this project. */
export const crtSh: Samples = {
  upstream: "crtsh",
  answers: { "GET /": certificates },
  faults: {
    not_found: { status: 404, body: undefined },
    upstream_error: { status: 400, body: undefined },
    upstream_unavailable: { status: 502, body: undefined },
  },
};
