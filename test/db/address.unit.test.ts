import { expect, test } from "vitest";
import { databaseAddress } from "../../db/address.ts";

test("one host stays unchanged", () => {
  const url = "postgres://user:p%2Cw@a:5432/name?application_name=x";
  expect(databaseAddress(url)).toEqual({ url, isPooled: false, options: {} });
});

test("of several hosts the writable one is used, unless configured otherwise", () => {
  const url = "postgres://user:password@a:5432,b:5433/name";
  expect(databaseAddress(url).options).toEqual({ target_session_attrs: "primary" });
  expect(databaseAddress(`${url}?target_session_attrs=standby`).options).toEqual({});
});

test("a pooler is recognised by a parameter, which is not sent to it", () => {
  expect(databaseAddress("postgres://a,b/name?pgbouncer=true&sslmode=require")).toEqual({
    url: "postgres://a,b/name?sslmode=require",
    isPooled: true,
    options: { prepare: false, target_session_attrs: "primary" },
  });
});

test("IPv6 addresses, which the driver cannot read, are read here", () => {
  const options = (hosts: string) => databaseAddress(`postgres://u:p%5B@${hosts}/name`).options;
  expect(options("[::1]:6000")).toEqual({ host: ["::1"], port: [6000] });
  expect(options("[fd00::1],db:6001")).toEqual({
    host: ["fd00::1", "db"],
    port: [5432, 6001],
    target_session_attrs: "primary",
  });
});
