import { expect, test } from "vitest";
import { inNamespace, namespacePossible } from "./namespace.ts";

test.runIf(namespacePossible)(
  "a page cut off by a change of this machine's network is loaded once more",
  async () => {
    const { answers, dialled } = await inNamespace<{
      answers: Record<"page" | "script" | "always", string>;
      dialled: Record<string, number>;
    }>(new URL("network-changes.ts", import.meta.url), ["10.1.2.3"]);
    expect(answers.page).toContain("a page");
    expect(answers.script).toContain("written by a script");
    expect(answers.always).toBe(
      "upstream_unavailable: The gateway's network changed while the page was loaded",
    );
    expect(dialled).toEqual({ page: 2, script: 2, always: 2 });
  },
);
