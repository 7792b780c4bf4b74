import type {
  FinanceCountry,
  FinanceIndicator,
  FinanceIndicatorSeries,
  FinanceIndicatorValue,
} from "../../../contract/areas/finance/records.ts";
import {
  type Wire,
  array,
  at,
  count,
  defined,
  each,
  need,
  number,
  object,
  rows,
  text,
} from "#wire";

/** Rows of an answer, which is a pair of its page and its rows; null stands for none. */
export function rowsOf<T>(body: unknown, read: (row: Wire) => T): T[] {
  need(object(at(body, 0)), "[0]");
  return rows(at(body, 1) === null ? [] : at(body, 1), "[1]", read);
}

export const pagesOf = (body: unknown) => need(count(at(body, 0, "pages")), "[0].pages");

/** The only row of an answer; undefined without one. */
export const onlyRow = (body: unknown) => object(array(at(body, 1))?.[0]);

/** A text without the blanks around it; undefined for an empty one. */
const trimmed = (value: unknown) => text(text(value)?.trim());

/** The class of a country; groups have the word "Aggregates" in its place. */
const groupMark = "Aggregates";
const classOf = (value: unknown) => {
  const worded = trimmed(at(value, "value"));
  return worded === groupMark ? undefined : worded;
};

export function country(row: Wire): FinanceCountry {
  return defined({
    country_code: need(trimmed(row.id), "country.id"),
    short_code: trimmed(row.iso2Code),
    name: need(trimmed(row.name), "country.name"),
    is_group: trimmed(at(row.region, "value")) === groupMark,
    region: classOf(row.region),
    income_level: classOf(row.incomeLevel),
    lending_type: classOf(row.lendingType),
    capital: trimmed(row.capitalCity),
    latitude: number(row.latitude),
    longitude: number(row.longitude),
  });
}

export function indicator(row: Wire): FinanceIndicator {
  return defined({
    indicator_id: need(text(row.id), "indicator.id"),
    name: need(trimmed(row.name), "indicator.name"),
    unit: trimmed(row.unit),
    source: trimmed(at(row.source, "value")),
    description: trimmed(row.sourceNote),
    organization: trimmed(row.sourceOrganization),
    topics: each(row.topics, (topic) => trimmed(at(topic, "value"))),
  });
}

export function indicatorValue(row: Wire): FinanceIndicatorValue {
  return defined({
    indicator_id: need(text(at(row.indicator, "id")), "indicator.id"),
    indicator: need(trimmed(at(row.indicator, "value")), "indicator.value"),
    country_code: trimmed(row.countryiso3code),
    country: need(trimmed(at(row.country, "value")), "country.value"),
    period: need(text(row.date), "date"),
    value: number(row.value),
  });
}

/** Figures of one country, oldest first; undefined where the answer has no row at all. */
export function indicatorSeries(body: unknown): FinanceIndicatorSeries | undefined {
  const values = rowsOf(body, indicatorValue);
  const [first] = values;
  if (!first) return undefined;
  const { indicator_id, country_code, country: name } = first;
  return defined({
    indicator_id,
    indicator: first.indicator,
    country_code,
    country: name,
    updated_at: text(at(body, 0, "lastupdated")),
    series: values
      .flatMap(({ period, value }) => (value === undefined ? [] : [{ period, value }]))
      .toSorted((one, other) => one.period.localeCompare(other.period)),
  });
}
