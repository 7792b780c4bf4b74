import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 90, long: 300 };

/** Every code for which a caller may want the label. */
const inEach = <T>(value: T) =>
  Object.fromEntries(["en", "de", "fr", "nb", "la"].map((language) => [language, value]));

const unit = "http://www.wikidata.org/entity/Q11573";

function statement(id: string, dataType: string, value: object, rank = "normal") {
  return {
    id: `Q1$${id}`,
    rank,
    qualifiers: [],
    references: [],
    property: { id, data_type: dataType },
    value,
  };
}

const known = (content: unknown) => ({ type: "value", content });

function item(id: string) {
  const v = vary("wikidata", id);
  const name = `${v.pick("name", words)} lighthouse`;
  return {
    type: "item",
    id,
    labels: inEach(name),
    descriptions: inEach(`lighthouse ${v.int("number", 1, 99)}`),
    aliases: inEach([`Old ${name}`, `Great ${name}`]),
    statements: {
      P31: [statement("P31", "wikibase-item", known(`Q${v.digits("class", 5)}`), "preferred")],
      P345: [statement("P345", "external-id", known(`tt${v.digits("external", 7)}`))],
      P571: [
        statement(
          "P571",
          "time",
          known({
            time: `+${v.int("year", 1800, 1999)}-03-14T00:00:00Z`,
            precision: 11,
            calendarmodel: "http://www.wikidata.org/entity/Q1985727",
          }),
        ),
      ],
      P625: [
        statement(
          "P625",
          "globe-coordinate",
          known({
            latitude: v.int("lat", 1, 80) + 0.5,
            longitude: v.int("lon", 1, 170) + 0.25,
            precision: 0.0001,
            globe: "http://www.wikidata.org/entity/Q2",
          }),
        ),
      ],
      P1448: [statement("P1448", "monolingualtext", known({ language: "de", text: "Leuchtturm" }))],
      P2048: [
        statement("P2048", "quantity", known({ amount: `+${v.int("height", 9, 90)}.5`, unit })),
      ],
      P170: [statement("P170", "wikibase-item", { type: "somevalue" })],
      P576: [statement("P576", "time", { type: "novalue" })],
    },
    sitelinks: {
      enwiki: { title: name, badges: [], url: "https://en.wikipedia.org/wiki/Sample" },
      dewiki: { title: "Leuchtturm", badges: [], url: "https://de.wikipedia.org/wiki/Leuchtturm" },
    },
  };
}

function search({ query, empty, secondPage }: SampleRequest) {
  const total = empty ? 0 : secondPage ? listed.long : listed.usual;
  const [offset, count] = [Number(query?.continue), Number(query?.limit)];
  const seed = String(query?.search);
  return {
    searchinfo: { search: query?.search },
    search: slice({ total, offset, count }, (index) => {
      const v = vary("wikidata", "search", seed, index);
      const id = `Q${1_000_000 + index * 3}`;
      return {
        id,
        title: id,
        pageid: 3_000_000 + index,
        concepturi: `http://www.wikidata.org/entity/${id}`,
        repository: "wikidata",
        url: `//www.wikidata.org/wiki/${id}`,
        label: `${v.pick("label", words)} ${index + 1}`,
        description: `thing of ${v.pick("description", words)}`,
        match: { type: "alias", language: query?.language, text: `${v.pick("match", words)}` },
        aliases: [`${v.pick("match", words)}`],
      };
    }),
    ...(offset + count < total ? { "search-continue": offset + count } : {}),
    success: 1,
  };
}

/** Sample answers of Wikidata, written for this project. */
export const wikidata: Samples = {
  upstream: "wikidata",
  answers: {
    "GET /w/api.php": search,
    "GET /w/rest.php/wikibase/v1/entities/items/{id}": ({ parts }) => item(parts.id as string),
  },
  faults: {
    not_found: { status: 404, body: { code: "resource-not-found", message: "not found" } },
    upstream_error: { status: 200, body: { error: { code: "internal_error" } } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
