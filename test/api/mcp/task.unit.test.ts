import { expect, test } from "vitest";
import { idOf, read } from "../../../api/mcp/task.ts";

const job = `svc_${"0a".repeat(16)}`;

test("a task's id is its job's id and the chosen fields", () => {
  for (const most of [undefined, 200, 12_345, 200_000])
    expect(read(idOf(job, most))).toEqual({ job, most });
});

test("no other text is a task's id", () => {
  const altered = ["", "x", `${job}0`, `${job}.`, `${job}.199`, `${job}.0200`, `${job}.200001`];
  for (const id of [...altered, `${job}.1e3`, `${job}/result`, ` ${job}`, job.toUpperCase()])
    expect(() => read(id), id).toThrow("Task not found");
});
