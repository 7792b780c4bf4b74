/** Generators of typed clients: how each is run, and a program that reads answers through its client. */
export interface Generator {
  /** Packages with their versions; renew them together. */
  packages: Record<string, string>;
  /** Writes the client into a folder of the generator's name, from openapi.json. */
  script: string;
  /** Reads a list, an object, a job and an error. It names them `list`, `object`, `job` and `error`. */
  program: string;
}

/** The program's last lines: each value has exactly the type that follows. */
const promised = `
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const isSame = <A, B>(same: Same<A, B>): boolean => same;
isSame<typeof list, string | undefined>(true);
isSame<typeof object, string>(true);
isSame<typeof job, "queued" | "running" | "succeeded" | "failed" | "cancelled">(true);
`;

export const generators: Record<string, Generator> = {
  "openapi-fetch": {
    packages: { "openapi-fetch": "0.17.0", "openapi-typescript": "7.13.0", typescript: "5.9.3" },
    script: `
import { writeFileSync } from "node:fs";
import openapi, { astToString } from "openapi-typescript";
writeFileSync("openapi-fetch/schema.ts", astToString(await openapi(new URL("openapi.json", import.meta.url))));`,
    program: `
import createClient from "openapi-fetch";
import type { paths } from "./schema.ts";
const client = createClient<paths>({ baseUrl: "http://localhost:3000" });
const search = await client.GET("/shortclip/search", { params: { query: { q: "tea" } } });
if (search.error) throw new Error(search.error.error.type);
const list = search.data.data[0]?.id;
const page = await client.POST("/browser/markdown", { body: { url: "https://example.com/" } });
if (!page.data) throw new Error(page.error.error.message);
const object = page.data.data.markdown;
const input = { operation: "shortclip.search", input: { q: "tea" } };
const submitted = await client.POST("/jobs", { body: input });
if (!submitted.data) throw new Error(submitted.error.error.request_id);
const job = submitted.data.data.state;`,
  },
  "hey-api": {
    packages: { "@hey-api/openapi-ts": "0.99.0", typescript: "5.9.3" },
    script: `
import { createClient } from "@hey-api/openapi-ts";
const plugins = ["@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch"];
const logs = { level: "silent" };
await createClient({ input: "openapi.json", output: { path: "hey-api", clean: false }, plugins, logs });`,
    program: `
import { browserMarkdown, gatewayJobsSubmit, shortclipSearch } from "./sdk.gen.ts";
const search = await shortclipSearch({ query: { q: "tea" } });
if (search.error) throw new Error(search.error.error.type);
const list = search.data.data[0]?.id;
const page = await browserMarkdown({ body: { url: "https://example.com/" } });
if (page.error) throw new Error(page.error.error.message);
const object = page.data.data.markdown;
const input = { operation: "shortclip.search", input: { q: "tea" } };
const submitted = await gatewayJobsSubmit({ body: input });
if (submitted.error) throw new Error(submitted.error.error.request_id);
const job = submitted.data.data.state;`,
  },
  orval: {
    packages: { orval: "8.38.0" },
    script: `
import { generate } from "orval";
await generate({ input: "./openapi.json", output: { target: "orval/client.ts", client: "fetch" } });`,
    program: `
import { browserMarkdown, gatewayJobsSubmit, shortclipSearch } from "./client.ts";
const search = await shortclipSearch({ q: "tea" });
if (search.status !== 200) throw new Error(search.data.error.type);
const list = search.data.data[0]?.id;
const page = await browserMarkdown({ url: "https://example.com/" });
if (page.status !== 200) throw new Error(page.data.error.message);
const object = page.data.data.markdown;
const input = { operation: "shortclip.search", input: { q: "tea" } };
const submitted = await gatewayJobsSubmit(input);
if (submitted.status !== 202) throw new Error(submitted.data.error.request_id);
const job = submitted.data.data.state;`,
  },
  kubb: {
    packages: {
      "@kubb/core": "4.39.3",
      "@kubb/plugin-client": "4.39.3",
      "@kubb/plugin-oas": "4.39.3",
      "@kubb/plugin-ts": "4.39.3",
      axios: "1.21.1",
    },
    // Its client for fetch refuses every header whose value is a number, such as Svc-Max-Credits.
    script: `
import { build } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";
const barrelType = false;
const { error } = await build({
  config: {
    root: ".",
    input: { path: "openapi.json" },
    output: { path: "kubb", barrelType },
    plugins: [
      pluginOas({ generators: [], validate: false }),
      pluginTs({ output: { path: "types", barrelType } }),
      pluginClient({ client: "axios", bundle: true, output: { path: "clients", barrelType } }),
    ],
  },
});
if (error) throw error;`,
    program: `
import { browserMarkdown } from "./clients/browser/markdown.ts";
import { gatewayJobsSubmit } from "./clients/gateway/jobs/submit.ts";
import { shortclipSearch } from "./clients/shortclip/search.ts";
import type { ShortclipSearch400 } from "./types/shortclip/Search.ts";
const list = (await shortclipSearch({ q: "tea" })).data[0]?.id;
const object = (await browserMarkdown({ url: "https://example.com/" })).data.markdown;
const input = { operation: "shortclip.search", input: { q: "tea" } };
const job = (await gatewayJobsSubmit(input)).data.state;
export const typeOf = (refused: ShortclipSearch400): string => refused.error.type;`,
  },
};

for (const generator of Object.values(generators)) generator.program += `\n${promised}`;
