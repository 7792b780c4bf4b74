import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { guides } from "../../../api/docs/guides.ts";
import { Gateway } from "../../gateway.ts";
import { type Origin, startOrigin } from "../../origin.ts";
import { type BareChromium, startBareChromium } from "../../worker/browser/shared-context.ts";

/** A gateway with a test key, a browser and a folder for the programs of the pages, started once for all of them. */
export class Stage {
  origin!: Origin;
  gateway!: Gateway;
  chromium!: BareChromium;
  key!: string;
  folder!: string;

  async start(): Promise<void> {
    this.origin = await startOrigin();
    this.folder = await mkdtemp(join(tmpdir(), "gateway-pages-"));
    [this.gateway, this.chromium] = await Promise.all([
      Gateway.start({
        pools: "browser,seo,seo-bulk,serp,social",
        env: { EGRESS_ALLOW: this.origin.address },
      }),
      startBareChromium(),
    ]);
    const kind = { mode: "test", credits: 1_000_000, rate: 10_000 } as const;
    ({ key: this.key } = await this.gateway.key(kind));
  }

  async stop(): Promise<void> {
    await this.chromium?.close();
    await this.gateway?.stop();
    await this.origin?.stop();
    if (this.folder) await rm(this.folder, { recursive: true, force: true });
  }

  readonly textOf = async (path: string): Promise<string> =>
    (await fetch(`${this.gateway.url}${path}`)).text();

  readonly environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    GATEWAY_URL: this.gateway.url,
    GATEWAY_KEY: this.key,
  });

  /** The examples of browser operations name a page that does not exist, so replace it. */
  readonly there = (text: string): string =>
    text
      .replaceAll("https://example.com/", `${this.origin.url}/page`)
      .replaceAll("https://example.com", `${this.origin.url}/page`);

  /** The picture that an example has written; removed, so that the next one must write it. */
  readonly expectPicture = async (): Promise<void> => {
    const file = join(this.folder, "answer.png");
    expect([...(await readFile(file)).subarray(1, 4)]).toEqual([...Buffer.from("PNG")]);
    await rm(file);
  };

  /** Programs of the served guides, and of the page that no operation is on, in a language. */
  readonly programsOf = async (language: "python" | "ts"): Promise<string[]> => {
    const texts = await Promise.all(
      ["index", "web.crawl", ...guides.map(({ name }) => name)].map((name) =>
        this.textOf(`/docs/${name}.md`),
      ),
    );
    const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms");
    return texts.flatMap((text) => [...text.matchAll(fence)].map((match) => match[1] as string));
  };
}
