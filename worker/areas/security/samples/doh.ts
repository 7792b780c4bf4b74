import type { Samples } from "../../../sandbox/sample.ts";

/** Sample answers of a resolver, written for this project. */

const values: Readonly<Record<string, { type: number; data: string[] }>> = {
  A: { type: 1, data: ["192.0.2.10", "192.0.2.11"] },
  AAAA: { type: 28, data: ["2001:db8::10"] },
  MX: { type: 15, data: ["10 mail.sample.example."] },
  NS: { type: 2, data: ["ns1.sample.example.", "ns2.sample.example."] },
  TXT: { type: 16, data: ['"v=spf1 include:mail.sample.example " "-all"'] },
};

export const doh: Samples = {
  upstream: "doh",
  answers: {
    "GET /dns-query": ({ query = {}, empty }) => {
      const name = `${query.name}.`;
      const { type, data } = values[String(query.type)] ?? { type: 65_280, data: ["sample"] };
      const answer = [
        { name, type: 5, TTL: 300, data: `front.${name}` },
        ...data.map((value) => ({ name: `front.${name}`, type, TTL: 120, data: value })),
      ];
      return {
        Status: 0,
        TC: false,
        RD: true,
        RA: true,
        AD: true,
        CD: false,
        Question: [{ name, type }],
        ...(empty ? {} : { Answer: answer }),
      };
    },
  },
  faults: {
    not_found: { status: 200, body: { Status: 3, TC: false, RD: true, RA: true } },
    upstream_error: { status: 200, body: { Status: 5, TC: false, RD: true, RA: true } },
    upstream_unavailable: { status: 503, body: { error: "Service unavailable" } },
  },
};
