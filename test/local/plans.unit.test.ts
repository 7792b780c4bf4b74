import { expect, test } from "vitest";
import { upstreams } from "../../worker/sandbox/upstreams.ts";
import { gatewayPlans } from "../../local/plans.ts";

const secrets = {
  DATABASE_URL: "postgres://a",
  PGPASSWORD: "a",
  KEY_PEPPER: "a",
  KEY_PEPPER_FILE: "a",
  CURSOR_SECRET: "a",
  DASHBOARDS_PASSWORD: "a",
  METRICS_TOKEN: "a",
  ...Object.fromEntries(
    upstreams.flatMap(({ credentials }) => credentials.map((name) => [name, "a"])),
  ),
  TIKHUB_API_KEY_FILE: "a",
};
const settings = {
  host: "127.0.0.1",
  port: 1,
  dashboardsHost: "127.0.0.1",
  dashboardsPort: 2,
  dashboardsUser: "operator",
  dashboardsPassword: "its own",
  keyPepper: "its own",
  cursorSecret: "its own",
} as Parameters<typeof gatewayPlans>[0];
const parts = {
  databaseUrl: "postgres://own",
  redisUrl: "redis://own",
  chromium: { executablePath: "/chromium", launcher: [], sandbox: true },
  demoAddress: "127.0.0.1:3",
} as unknown as Parameters<typeof gatewayPlans>[1];

test("a process gets the secrets it needs and no others", () => {
  const plans = gatewayPlans(settings, parts, { ...secrets, PATH: "/bin", LOG_LEVEL: "warn" });
  const known = (name: string) => {
    const { env = {} } = plans.flat().find((plan) => plan.name === name) ?? {};
    expect([env["PATH"], env["LOG_LEVEL"]]).toEqual(["/bin", "warn"]);
    return Object.keys(secrets).filter((secret) => env[secret] !== undefined);
  };
  const credentials = upstreams.flatMap((upstream) => upstream.credentials);
  expect(credentials.length).toBeGreaterThan(5);
  expect(known("api").filter((name) => credentials.includes(name))).toEqual([]);
  expect(known("api")).not.toContain("DASHBOARDS_PASSWORD");
  expect(known("api")).toContain("DATABASE_URL");
  expect(known("dashboards")).toEqual([
    "DATABASE_URL",
    "PGPASSWORD",
    "DASHBOARDS_PASSWORD",
    "METRICS_TOKEN",
  ]);
  expect(known("worker-browser")).toEqual([]);
  expect(new Set(known("worker"))).toEqual(new Set([...credentials, "TIKHUB_API_KEY_FILE"]));
});
