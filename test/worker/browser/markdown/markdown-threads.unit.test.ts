import { afterAll, beforeAll, expect, test } from "vitest";
import { GatewayError } from "../../../../contract/errors.ts";
import { MarkdownThreads } from "../../../../worker/browser/markdown/markdown.ts";

let threads: MarkdownThreads;
const patient = new AbortController().signal;
const short = { html: "<p>short</p>", title: "", mainContentOnly: false };
/** The search for its main content takes 2.7 s for 4 MB, its conversion 0.4 s. */
const links = (characters: number) => {
  const link = '<div><a href="http://site.example/c">link text</a></div>';
  return link.repeat(Math.ceil(characters / link.length));
};
const long = { html: links(2_000_000), title: "", mainContentOnly: true };

beforeAll(async () => {
  threads = new MarkdownThreads({ mainContentMs: 200, conversionMs: 10_000 });
  // Both threads have started.
  await Promise.all(["a", "b"].map((account) => threads.convert(short, account, patient)));
});
afterAll(() => threads.close());

test("long pages of one account leave a thread to the short ones of another", async () => {
  const ended: string[] = [];
  const attack = [1, 2].map(() => threads.convert(long, "attacker", patient));
  const isOver = Promise.race(attack).then(() => ended.push("long"));
  for (let call = 0; call < 10; call += 1) {
    expect(await threads.convert(short, "victim", patient)).toBe("short");
    ended.push("short");
  }
  expect(ended).toEqual(Array.from({ length: 10 }, () => "short"));
  await isOver;
  await Promise.all(attack);
});

test("a page whose main content takes too long is converted whole", async () => {
  const html = `<p>before</p>${links(500_000)}<p>after</p>`;
  const strict = new MarkdownThreads({ mainContentMs: 1, conversionMs: 60_000 });
  const markdown = await strict.convert({ html, title: "", mainContentOnly: true }, "a", patient);
  expect(markdown.startsWith("before")).toBe(true);
  expect(markdown.endsWith("after")).toBe(true);
  await strict.close();
});

test("a page whose conversion takes too long is refused as over its limit, and the next one has a thread", async () => {
  const limits = { mainContentMs: 1, conversionMs: 1 };
  const strict = new MarkdownThreads(limits);
  const task = { html: links(12_000_000), title: "", mainContentOnly: false };
  const refusal = (await strict.convert(task, "a", patient).catch((error: unknown) => error)) as
    | GatewayError
    | undefined;
  expect(refusal).toBeInstanceOf(GatewayError);
  expect(refusal).toMatchObject({ type: "upstream_error" });
  expect(refusal?.message).toContain("processor time as Markdown");
  limits.conversionMs = 10_000;
  expect(await strict.convert(short, "a", patient)).toBe("short");
  await strict.close();
});

test("a caller who leaves while the page waits for a thread gets 504", async () => {
  const leaving = new AbortController();
  const attack = threads.convert(long, "attacker", patient);
  const waiting = threads.convert(long, "other", leaving.signal);
  leaving.abort();
  await expect(waiting).rejects.toMatchObject({ type: "upstream_unavailable", status: 504 });
  await attack;
});
