import type { Samples } from "../../../sandbox/sample.ts";
import { faults } from "./rows.ts";

/** Sample answers of endoflife.date, written for this project. */
export const endOfLife: Samples = {
  upstream: "endoflife",
  answers: {
    "GET /api/v1/products/{product}": ({ parts, empty }) => ({
      schema_version: "1.2.1",
      result: {
        name: parts.product,
        label: `The ${parts.product}`,
        aliases: ["samplelang"],
        category: "lang",
        tags: ["lang"],
        identifiers: [
          { type: "purl", id: `pkg:generic/${parts.product}` },
          { type: "cpe", id: "cpe:/a:sample:language" },
        ],
        links: {
          icon: null,
          html: `https://endoflife.date/${parts.product}`,
          releasePolicy: "https://language.example/releases",
        },
        releases: empty
          ? []
          : [
              {
                name: "3.2",
                codename: "Heron",
                label: "3.2",
                releaseDate: "2025-10-07",
                isLts: true,
                ltsFrom: null,
                isEoas: false,
                eoasFrom: "2027-04-01",
                isEol: false,
                eolFrom: "2030-10-31",
                isEoes: false,
                eoesFrom: "2032-10-31",
                isMaintained: true,
                latest: {
                  name: "3.2.4",
                  date: "2026-02-03",
                  link: "https://language.example/releases/3.2.4",
                },
              },
              {
                name: "3.1",
                codename: null,
                label: "3.1",
                releaseDate: "2024-10-07",
                isLts: false,
                ltsFrom: null,
                isEol: true,
                eolFrom: "2025-10-31",
                isMaintained: false,
                latest: null,
              },
            ],
      },
    }),
  },
  faults,
};
