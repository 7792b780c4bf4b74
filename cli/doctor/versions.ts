import { type Build, build, buildText, fleetOf } from "../../runtime/build.ts";
import { type Check, ok, warn } from "./check.ts";

type Running = { role: string; about?: Build | undefined }[];

export function checkBuilds(running: Running): Check {
  const name = "versions";
  const found = fleetOf(running);
  const list = found.map((one) => `${one.build}: ${one.roles}`).join("; ");
  if (found.length === 0) return ok(name, "No process has reported.");
  if (found.length > 1) {
    const message = `Processes run ${found.length} different versions (${list}). They work together during an upgrade: restart the older ones.`;
    return warn(name, message);
  }
  const here = buildText(build);
  return found[0]?.build === here
    ? ok(name, `${list}.`)
    : warn(name, `Processes run ${list}; this command is ${here}: restart them to use it.`);
}
