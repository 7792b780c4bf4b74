import { expect, test } from "vitest";
import { build, instanceOf } from "../../../runtime/build.ts";
import { readPublished } from "../../../dashboards/metrics.ts";
import { eventually } from "../services.ts";
import type { Stage } from "./stage.ts";

async function showsWorkers(stage: Stage): Promise<void> {
  const { board, redis, text } = stage;
  const { processes } = await readPublished(redis);
  const about = processes.find(({ role }) => role === "worker")?.about;
  if (!about) throw new Error("no worker reports");
  const pid = about.name.slice(about.name.lastIndexOf("-") + 1);
  const row = (state: string) =>
    new RegExp(` ${pid} ${state} ${RegExp.escape(build.version)} .*seo \\d/2 \\(`);
  await eventually(async () => expect(await text("/workers")).toMatch(row("takes jobs")));
  const decide = (effect: string) =>
    board.send("POST", "/controls", {
      kind: "worker",
      target: instanceOf(about),
      effect,
      why: "looked at by hand",
      back: "/workers",
    });
  expect((await decide("pause")).headers.get("location")).toBe("/workers");
  await eventually(async () => {
    expect(await text("/workers")).toMatch(row("quiet looked at by hand"));
    expect(await text("/")).toContain("every worker of the pool seo is quiet, so it takes no call");
  });
  expect((await decide("none")).status).toBe(303);
  await eventually(async () => expect(await text("/workers")).toMatch(row("takes jobs")));
  expect(await text("/changes?kind=control")).toMatch(
    / operator page .*worker \S+@\d+ .*looked at by hand/,
  );
}

/** The list of processes, and the control of a single worker. */
export function testWorkers(stage: Stage): void {
  test("a worker with version, state and slots; made quiet and resumed", () => showsWorkers(stage));
}
