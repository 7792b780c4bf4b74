import type { Command } from "commander";
import { addCommand } from "./arguments.ts";
import type { Check } from "./doctor/check.ts";
import type { Output, Print } from "./output.ts";

export function report(checks: Check[]): Output {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const count = (verdict: Check["verdict"]) =>
    checks.filter((check) => check.verdict === verdict).length;
  const lines = checks.map(
    ({ verdict, name, message }) => `${verdict.padEnd(4)}  ${name.padEnd(width)}  ${message}`,
  );
  const failed = count("fail") > 0;
  const sum = `${count("ok")} ok, ${count("warn")} to look at, ${count("fail")} failed`;
  return { json: { ok: !failed, checks }, text: [...lines, sum].join("\n"), failed };
}

/** `gateway doctor` */
export function addDoctor(program: Command, print: Print): void {
  addCommand(program, "doctor", "check the installation and suggest remedies").action(async () => {
    // Loaded only here, because these checks load the browser code.
    const { examine } = await import("./doctor/examine.ts");
    print(report(await examine(process.env)));
  });
}
