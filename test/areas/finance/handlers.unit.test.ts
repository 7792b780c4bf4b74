import { expect, test } from "vitest";
import { entity } from "../../../worker/areas/finance/entities.map.ts";
import { country, indicatorSeries, rowsOf } from "../../../worker/areas/finance/indicators.map.ts";
import { rates, series } from "../../../worker/areas/finance/rates.map.ts";
import { worldBank as bundled } from "../../../worker/areas/finance/samples/world-bank.ts";
import { frankfurter, frankfurterFor } from "../../../worker/upstreams/frankfurter/client.ts";
import { worldBank } from "../../../worker/upstreams/world-bank/client.ts";
import { ShapeError } from "#wire";
import { issues } from "../input.ts";
import { play, playToEnd } from "../play.ts";

test("finance surprise 1: the base currency is no rate", () => {
  const rate = { date: "2026-05-08", base: "EUR", quote: "USD", rate: 1.1662 };
  expect(rates("EUR", [rate, { ...rate, quote: "EUR", rate: 1 }])).toEqual({
    base: "EUR",
    rates: [{ quote: "USD", rate: 1.1662, date: "2026-05-08" }],
  });
});

test("finance surprise 2: each rate keeps its own day, and a series is in order", () => {
  const rate = { base: "EUR", quote: "USD", rate: 1.2 };
  const body = [
    { ...rate, date: "2026-05-08" },
    { ...rate, date: "2026-05-07", rate: 1.1 },
    { ...rate, date: "2026-05-07", quote: "EUR", rate: 1 },
  ];
  expect(rates("EUR", body).rates.map(({ date }) => date)).toEqual(["2026-05-08", "2026-05-07"]);
  expect(series("USD", body)).toEqual([
    { date: "2026-05-07", rate: 1.1 },
    { date: "2026-05-08", rate: 1.2 },
  ]);
});

test("finance surprise 3: faults of the World Bank have status 200", async () => {
  const fault = (id: string) => [{ message: [{ id, key: "Invalid value", value: "…" }] }];
  const judged = (id: string) => worldBank.judge({ status: 200, headers: {}, body: fault(id) });
  expect(judged("120")).toMatchObject({ type: "not_found" });
  expect(judged("175")).toMatchObject({ type: "not_found" });
  expect(judged("105")).toMatchObject({ type: "upstream_error" });
  const path = "GET /v2/country/{country}/indicator/{indicator}";
  const samples = [{ ...bundled, answers: { [path]: () => fault("175") } }];
  const input = { indicator: "IC.REG.DURS", country: "DEU" };
  const played = await play("finance.indicators.series", input, { samples });
  expect(played).toMatchObject({ ok: false, type: "not_found" });
});

test("finance surprise 4: null stands for no rows, and 400 with a page of HTML passes", () => {
  const page = { page: 1, pages: 1, per_page: 50, total: 0 };
  expect(rowsOf([page, null], country)).toEqual([]);
  expect(() => rowsOf([null, []], country)).toThrow(ShapeError);
  expect(() => rowsOf([page], country)).toThrow(ShapeError);
  const judged = (body: unknown) => worldBank.judge({ status: 400, headers: {}, body });
  expect(judged(undefined)).toMatchObject({ type: "upstream_unavailable", retry: true });
  expect(judged({})).toMatchObject({ type: "upstream_error" });
});

test("finance surprise 5: figures oldest first, without empty years", () => {
  const row = (date: string, value: unknown) => ({
    indicator: { id: "SP.POP.TOTL", value: "Population, total" },
    country: { id: "DE", value: "Germany" },
    countryiso3code: "DEU",
    date,
    value,
    unit: "",
  });
  const rows = [row("2024", null), row("2023", 83_901_923), row("2022", 83_797_985)];
  expect(indicatorSeries([{ pages: 1, lastupdated: "2026-04-08" }, rows])).toEqual({
    indicator_id: "SP.POP.TOTL",
    indicator: "Population, total",
    country_code: "DEU",
    country: "Germany",
    updated_at: "2026-04-08",
    series: [
      { period: "2022", value: 83_797_985 },
      { period: "2023", value: 83_901_923 },
    ],
  });
  expect(indicatorSeries([{ pages: 0 }, null])).toBeUndefined();
});

test("finance surprise 6: a country, and a group of countries", () => {
  const place = {
    id: "DEU",
    iso2Code: "DE",
    name: "Germany",
    region: { id: "ECS", value: "Europe & Central Asia " },
    incomeLevel: { id: "HIC", value: "High income" },
    lendingType: { id: "LNX", value: "Not classified" },
    capitalCity: "Berlin",
    longitude: "13.4115",
    latitude: "52.5235",
  };
  expect(country(place)).toEqual({
    country_code: "DEU",
    short_code: "DE",
    name: "Germany",
    is_group: false,
    region: "Europe & Central Asia",
    income_level: "High income",
    lending_type: "Not classified",
    capital: "Berlin",
    latitude: 52.5235,
    longitude: 13.4115,
  });
  const group = { value: "Aggregates" };
  const none = { capitalCity: "", longitude: "", latitude: "" };
  const classes = { region: group, incomeLevel: group, lendingType: group };
  expect(
    country({ id: "EUU", iso2Code: "EU", name: "European Union", ...classes, ...none }),
  ).toEqual({ country_code: "EUU", short_code: "EU", name: "European Union", is_group: true });
});

test("finance surprise 7: classes in lower case, and lists that are null", () => {
  const attributes = {
    lei: "5299SAMPLE0000000001",
    entity: {
      legalName: { name: "Lantern AG", language: "de" },
      otherNames: [{ name: "Lamp AG", type: "PREVIOUS_LEGAL_NAME" }, { language: "de" }],
      transliteratedOtherNames: null,
      status: "INACTIVE",
      expiration: { date: "2024-03-01T00:00:00Z", reason: "CORPORATE_ACTION" },
      legalAddress: null,
    },
    registration: { status: "RETIRED" },
    bic: null,
  };
  expect(entity({ attributes })).toEqual({
    lei: "5299SAMPLE0000000001",
    name: "Lantern AG",
    language: "de",
    other_names: [{ name: "Lamp AG", type: "previous_legal_name" }],
    entity_status: "inactive",
    expired_at: "2024-03-01T00:00:00Z",
    expiration_reason: "corporate_action",
    bics: [],
    mics: [],
    registration_status: "retired",
  });
  expect(() => entity({ attributes: { lei: "5299SAMPLE0000000001" } })).toThrow(ShapeError);
});

test("lists in numbered pages come whole, and keep their page size", async () => {
  const sizes = async (id: string, input: Record<string, unknown>) =>
    (await playToEnd(id, input)).map((rows) => rows.length);
  const indicator = "NY.GDP.MKTP.CD";
  expect(await sizes("finance.indicators.countries", { indicator, year: 2024, limit: 60 })).toEqual(
    [60, 60, 10],
  );
  const lei = "5299SAMPLE0000000001";
  expect(await sizes("finance.entities.children", { lei, limit: 130 })).toEqual([130]);
  const first = await play("finance.countries.list", { limit: 50 });
  const cursor = first.ok ? first.pagination?.next : undefined;
  const second = await play("finance.countries.list", { limit: 7 }, { cursor });
  const whole = await play("finance.countries.list", { limit: 57 });
  expect(second.ok && whole.ok && second.data).toEqual(
    whole.ok && (whole.data as unknown[]).slice(50),
  );
});

test("spans that end before they begin are refused", async () => {
  const days = { quote: "USD", from_date: "2026-05-02", to_date: "2026-05-01" };
  const years = { indicator: "SP.POP.TOTL", country: "DEU", from_year: 2020, to_year: 2019 };
  for (const [id, input] of [
    ["finance.rates.series", days],
    ["finance.indicators.series", years],
  ] as const) {
    expect(await play(id, input)).toMatchObject({ ok: false, type: "validation_error" });
  }
});

test("codes are accepted in small letters; what is no code is refused", () => {
  expect(issues("finance.rates.latest", { base: "usd", quotes: ["eur"] })).toEqual([]);
  expect(issues("finance.rates.latest", { base: "US" })).toEqual(["base"]);
  expect(issues("finance.countries.get", { country: "deu" })).toEqual([]);
  expect(issues("finance.countries.get", { country: "Germany" })).toEqual(["country"]);
  expect(issues("finance.indicators.get", { indicator: "sp.pop.totl" })).toEqual([]);
  expect(issues("finance.indicators.get", { indicator: "all people" })).toEqual(["indicator"]);
  expect(issues("finance.entities.get", { lei: "5299SAMPLE" })).toEqual(["lei"]);
  expect(issues("finance.securities.issuer", { isin: "DE000SAMPLE" })).toEqual(["isin"]);
  expect(frankfurter.judge({ status: 422, headers: {}, body: {} })).toMatchObject({
    type: "validation_error",
  });
});

test("finance: a currency that Frankfurter does not know names the caller's field", () => {
  const judged = (message: string) =>
    frankfurterFor({ base: ["EUR"], quote: [], quotes: ["USD", "QQQ"] }).judge({
      status: 422,
      headers: {},
      body: { status: 422, message },
    });
  const wrong = { type: "validation_error" };
  expect(judged("invalid currency: QQQ")).toMatchObject({ ...wrong, field: "quotes" });
  expect(judged("invalid currency: EUR,QQQ")).toMatchObject({ ...wrong, field: "base" });
  expect(judged("invalid date")).not.toHaveProperty("field");
  expect(judged("invalid date")).toMatchObject(wrong);
});

test("the code of every listed indicator is taken, also one of a single part", () => {
  const accepted = ["NY.GDP.MKTP.CD", "CPTOTSAXN", "UNEMPSA_", "REER", "1.0.HCount.1.90usd"];
  for (const indicator of accepted)
    expect(issues("finance.indicators.get", { indicator }), indicator).toEqual([]);
  for (const indicator of ["", "..", ".NY.GDP", "NY/GDP", "A;B", "A B", "A".repeat(101)])
    expect(issues("finance.indicators.get", { indicator }), indicator).toEqual(["indicator"]);
});
