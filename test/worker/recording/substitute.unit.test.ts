import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import type { Operation } from "../../../contract/operation.ts";
import { Recorder } from "../../../worker/recording/recorder.ts";
import { Substitute } from "../../../worker/recording/substitute.ts";
import { mapStored } from "../../../worker/stored-answers.ts";
import { seeded } from "../../random.ts";
import { planted } from "./planted.ts";

const substitute = new Substitute("secret", new Set(["organic", "video"]));

test(
  seeded("of 200 planted personal values none is in the recording, and equal ones stay equal"),
  async () => {
    const values = planted();
    const folder = await mkdtemp(join(tmpdir(), "gateway-recording-"));
    try {
      const rows = values.map((value, index) => ({
        aweme_id: `73012345678901${String(index).padStart(5, "0")}`,
        desc: `Seen by ${value} on the way`,
        author: { nickname: value, signature: JSON.stringify({ contact: value }) },
        members: { [`${String(value)}/x`]: index },
      }));
      const body = JSON.stringify({
        code: 200,
        data: { aweme_list: rows, has_more: 0, cursor: 20 },
      });
      const job = { operation: "shortclip.search", input: { q: String(values[0]), limit: 20 } };
      const recorder = new Recorder(folder, () => undefined);
      await recorder.write("svc_1", job, [
        { body: Buffer.from(body) },
        { body: Buffer.from(`<p>${values.join("</p><p>")}</p>`) },
      ]);
      const where = join(folder, "shortclip.search", "svc_1");
      expect((await readdir(where)).sort()).toEqual(["1.json", "2.txt", "input.json"]);
      const written = await Promise.all(
        ["1.json", "2.txt", "input.json"].map((file) => readFile(join(where, file), "utf8")),
      );
      const text = written.join("\n");
      expect(values.filter((value) => text.includes(String(value)))).toEqual([]);
      // Nor any of their longer words.
      const words = values.flatMap((value) => String(value).match(/[a-z]{7,}|\d{7,}/gi) ?? []);
      expect(words.filter((word) => !/example/.test(word) && text.includes(word))).toEqual([]);

      const op = operations.get("shortclip.search") as Operation;
      const input = op.input.parse(JSON.parse(written[2] as string));
      const log = () => undefined;
      const before = (await mapStored(op, op.input.parse(job.input), [body], { log })) as {
        data: { author: { name: string } }[];
      };
      const after = (await mapStored(op, input, [written[0] as string], { log })) as typeof before;
      expect(before.data.length).toBeGreaterThan(9);
      expect(after.data).toHaveLength(before.data.length);
      expect(after.data.map(namesOf)).toEqual(before.data.map(namesOf));
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

const namesOf = (row: object): string[] => Object.keys(row).sort();

test("the same word has the same substitute, wherever and in whatever case it stands", () => {
  const { user, url, text } = substitute.value({
    user: "ada_lovelace",
    url: "https://example.com/@ada_lovelace/video/7301234567890123456",
    text: "by Ada",
  }) as Record<string, string>;
  const [first = "", second = ""] = (user as string).split("_");
  expect(first).toMatch(/^[a-z]{3}$/);
  expect(url).toContain(`/@${first}_${second}/video/`);
  expect((text as string).split(" ")[1]?.toLowerCase()).toBe(first);
});

test("a substitute has the form of its value; figures and words of the code stay", () => {
  const same = ["organic", "4.5", "12%", "1:02:33", "Wed Oct 10 20:19:24 +0800 2018", "", "5"];
  expect(same.map((text) => substitute.text(text))).toEqual(same);
  expect(substitute.text("1990-05-31")).toMatch(/^1990-05-[0-2]\d$/);
  expect(substitute.text("2026-11-23T10:20:30Z")).toMatch(
    /^2026-11-[0-2]\dT[0-2]\d:[0-5]\d:[0-5]\dZ$/,
  );
  expect(substitute.text("7301234567890123456")).toMatch(/^[1-9]\d{18}$/);
  expect(substitute.text("<p>Ada</p> &amp;")).toMatch(/^<p>[A-Z][a-z]{2}<\/p> &amp;$/);
  expect(substitute.value([12, true, null, 1.5])).toEqual([12, true, null, 1.5]);
  const [time, place] = substitute.value([1_700_000_000, 51.507351]) as [number, number];
  expect([String(time).length, String(time)[0]]).toEqual([10, "1"]);
  expect([Math.trunc(place), place === 51.507351]).toEqual([51, false]);
});

test("other secrets make other substitutes", () => {
  const other = new Substitute("another secret", new Set());
  expect(other.text("Lovelace")).not.toBe(substitute.text("Lovelace"));
});
