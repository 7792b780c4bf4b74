import { expect, test } from "vitest";
import { accountNamed } from "../../../db/accounts.ts";
import { setBudget } from "../../../db/budgets.ts";
import { basic } from "../services.ts";
import { operation, type Stage } from "./stage.ts";

async function showsAnAccount(stage: Stage): Promise<void> {
  const { gateway, board, text } = stage;
  const [row] = await gateway.db.sql<{ id: string }[]>`
    select k.id from api_keys k join accounts a on a.id = k.account_id where a.name = 'busy'`;
  await setBudget(gateway.db, {
    accountId: (await accountNamed(gateway.db, "busy"))?.id ?? 0,
    mode: "live",
    period: "day",
    credits: 500,
    who: "test",
  });
  const page = await text("/accounts/busy");
  expect(page).toMatch(
    /Live credits left [\d,]+ Test credits left 1,000,000 Live calls in flight 0 of/,
  );
  expect(page).toMatch(/Errors of a day .*upstream_\w+ live 1 /);
  expect(page).toMatch(/Use by day .*\d{4}-\d\d-\d\d live 10 1 9 /);
  expect(page).toMatch(new RegExp(`Top operations of 7 days .*${operation} live 10 1 9 `));
  expect(page).toMatch(/Budgets .*all keys live day 9 of 500 /);
  expect(page).toMatch(new RegExp(`Keys .*${row?.id} live valid \\d{4}-`));
  expect(await text("/accounts?name=USY")).toMatch(/ busy open [\d,]+ 1,000,000 0 10 1 9 /);
  expect(await text("/accounts")).toMatch(/ unlucky at most 60 a minute /);
  const unknown = await board.get("/accounts/bus");
  expect(unknown.status).toBe(404);
  const offer = await unknown.text();
  expect(offer).toContain("There is no account bus.");
  expect(offer).toContain(`<a href="/accounts/busy">`);

  const decision = { kind: "account", target: "busy", why: "their loop" };
  const back = "/accounts/busy";
  const capped = await board.send("POST", "/controls", {
    ...decision,
    effect: "cap",
    per_minute: 600,
    back,
  });
  expect([capped.status, capped.headers.get("location")]).toEqual([303, back]);
  expect(await text(back)).toMatch(/In force .*account busy at most 600 a minute .* their loop /);
  const ended = await board.send("POST", "/controls", {
    ...decision,
    effect: "none",
    back: "//elsewhere.example",
  });
  expect([ended.status, ended.headers.get("location")]).toEqual([303, "/controls"]);
  expect(await text(back)).not.toContain("In force");

  const send = (values: Record<string, string>) =>
    fetch(board.url + back, {
      method: "POST",
      redirect: "manual",
      headers: { authorization: basic, origin: board.url },
      body: new URLSearchParams({ why: "they grow", ...values }),
    });
  const limits = { change: "limits", rate: "75", in_flight: "30", state: "open" };
  expect((await send(limits)).headers.get("location")).toBe(back);
  const budget = { change: "budget", mode: "live", period: "day", credits: "800", alert: "90" };
  expect((await send(budget)).status).toBe(303);
  const changed = await text(back);
  expect(changed).toMatch(/in flight 0 of 30 .* at most 75 /);
  expect(changed).toMatch(/Budgets .*all keys live day 9 of 800 /);
  expect(changed).toMatch(/operator page limits of busy .* rate per second 75.* they grow /);
  expect((await send({ ...budget, credits: "" })).status).toBe(303);
  expect(await text(back)).toMatch(/ budget busy live day credits 800, alert percent 90 removed /);
  for (const wrong of [{ rate: "0" }, { in_flight: "x" }, { state: "shut" }, { why: " " }]) {
    const refused = await send({ ...limits, rate: "76", ...wrong });
    expect(refused.status).toBe(400);
    const html = await refused.text();
    expect(html).toContain("Not done: ");
    expect(html).toContain(
      `name="rate" required inputmode="numeric" pattern="[0-9]{1,13}" value="${wrong.rate ?? "76"}"`,
    );
  }
  expect((await accountNamed(gateway.db, "busy"))?.ratePerSecond).toBe(75);
}

/** The list of accounts and the page of one. */
export function testAccounts(stage: Stage): void {
  test("the page of an account: its figures, and a decision with a reason", () =>
    showsAnAccount(stage));
}
