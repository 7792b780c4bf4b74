import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { boxesScript } from "../../cli/doctor/fonts.ts";
import { fontSamples } from "../../local/fonts.ts";
import { newProject } from "../client/project.ts";
import { type OwnDatabase, emptyDatabase } from "../database.ts";
import { type Envelope, until } from "../gateway.ts";
import { root } from "../imports.ts";
import { type Origin, startOrigin } from "../origin.ts";
import { startRedis } from "../redis.ts";
import { type TestRedis, freePort } from "../redis-server.ts";
import { type Site, html, startSite } from "../worker/browser/rig.ts";
import { type Container, startContainer } from "./container.ts";
import { type Image, buildImage, imageObstacle } from "./image.ts";

/** `npm run test:image`: builds the image and runs every service of docker-compose.yml from it. */

interface Service {
  command: string[];
  environment: Record<string, string>;
  tmpfs: string[];
  healthcheck?: { test: string[] };
}

const { services } = parse(readFileSync(join(root, "docker-compose.yml"), "utf8"), {
  merge: true,
}) as { services: Record<string, Service> };
const ours = Object.entries(services).filter(([, { command }]) => command?.[0] === "node");
const lasting = ours.filter(([name]) => name !== "migrate");
const long = 600_000;

const obstacle = imageObstacle();
let image: Image;
let origin: Origin;
/** A page with a character of each script, which names those that its browser draws as boxes. */
let scripts: Site;
let redis: TestRedis;
let database: OwnDatabase;
let values: Record<string, string>;
let ports: Record<string, string>;
const containers = new Map<string, Container>();

beforeAll(async () => {
  if (obstacle !== undefined) {
    process.stderr.write(`\n!!! NOT TESTED: the image, because ${obstacle}\n\n`);
    return;
  }
  image = buildImage();
  [origin, scripts, redis, database] = await Promise.all([
    startOrigin(),
    startSite((_, response) => {
      const samples = Object.values(fontSamples).join(" ");
      const naming = `document.querySelector("span").append(${boxesScript}.join() || "none")`;
      html(
        response,
        `<p>${samples}</p><p>drawn as boxes: <span></span></p><script>${naming}</script>`,
      );
    }),
    startRedis({ own: true }),
    emptyDatabase(),
  ]);
  ports = {
    3000: String(await freePort()),
    3001: String(await freePort()),
    3128: String(await freePort()),
  };
  values = {
    EGRESS_ALLOW: `${origin.address},127.0.0.1:${scripts.port}`,
    DASHBOARDS_PASSWORD: "password of the operator",
    KEY_PEPPER: "a pepper of thirty-two characters or more",
    CURSOR_SECRET: "a secret of thirty-two characters or more",
  };
}, 2 * long);
afterAll(async () => {
  await Promise.all([...containers.values()].map((container) => container.stop()));
  await Promise.all([origin?.stop(), scripts?.close(), redis?.stop(), database?.drop()]);
  image?.remove();
}, long);

/** A value of compose, with this test's stores and ports. */
const filled = (text: string): string =>
  text.replaceAll(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name: string, otherwise = "") =>
    String(values[name] ?? otherwise),
  );
const moved = (text: string) =>
  text
    .replace(/^egress:|127\.0\.0\.1:/, "127.0.0.1:")
    .replace(/\b(3000|3001|3128)\b/, (port) => ports[port] as string);

function start([name, service]: [string, Service]): Container {
  const env = Object.fromEntries(
    Object.entries(service.environment).map(([variable, value]) => [variable, filled(value)]),
  );
  const { DATABASE_URL, REDIS_URL, EGRESS_VIA } = env;
  const container = startContainer(image, service, {
    ...env,
    ...(DATABASE_URL === undefined ? {} : { DATABASE_URL: database.url }),
    ...(REDIS_URL === undefined ? {} : { REDIS_URL: redis.url }),
    ...(EGRESS_VIA === undefined ? {} : { EGRESS_VIA: moved(EGRESS_VIA) }),
    ...(name === "dashboards" ? { DASHBOARDS_PORT: moved("3001") } : {}),
    ...(name === "api" ? { PORT: moved("3000") } : {}),
    ...(name === "egress" ? { PORT: moved("3128") } : {}),
  });
  containers.set(name, container);
  return container;
}

test(
  "migrations, then every service, start from the image and pass their health checks",
  async ({ skip }) => {
    if (obstacle !== undefined) return skip(obstacle);
    expect(image.user).toBe("node");
    for (const one of ours.filter(([name]) => name === "migrate")) {
      const migrate = start(one);
      expect(await migrate.ended, migrate.log()).toBe(0);
    }
    for (const one of lasting) start(one);
    for (const [name, { healthcheck }] of lasting) {
      const container = containers.get(name) as Container;
      const check = (healthcheck?.test ?? []).slice(1).map(moved);
      let last = "";
      await until(async () => {
        return container.exec(check).then(
          () => true,
          (error: unknown) => {
            last = String(error);
            return false;
          },
        );
      }, 120_000).catch(() => expect.unreachable(`${name}: ${last}\n${container.log()}`));
    }
  },
  long,
);

const address = (path: string) => `http://127.0.0.1:${ports["3000"]}${path}`;

const keys = new Map<string, string>();

async function keyOf(mode: string): Promise<string> {
  const known = keys.get(mode);
  if (known !== undefined) return known;
  const words = ["keys", "create", "--account", "local", "--mode", mode, "--credits", "100"];
  const api = containers.get("api") as Container;
  const { stdout } = await api.exec(["node", "cli/main.ts", ...words, "--json"]);
  const { key } = JSON.parse(stdout) as { key: string };
  keys.set(mode, key);
  return key;
}

/** Calls an operation of the browser area. */
async function render(operation: string, url: string): Promise<Envelope<Record<string, string>>> {
  const headers = {
    authorization: `Bearer ${await keyOf("live")}`,
    "content-type": "application/json",
  };
  const body = JSON.stringify({ url });
  const answer = await fetch(address(`/browser/${operation}`), { method: "POST", headers, body });
  const text = await answer.text();
  expect(answer.status, `${text}\n${containers.get("worker-browser")?.log()}`).toBe(200);
  return JSON.parse(text) as Envelope<Record<string, string>>;
}

test(
  "an operator's key renders a page and reads samples through it, in Chromium's sandbox",
  async ({ skip }) => {
    if (obstacle !== undefined) return skip(obstacle);
    expect((await fetch(address("/health/ready"))).status).toBe(200);
    const { data } = await render("markdown", `${origin.url}/page`);
    expect(data).toMatchObject({ markdown: expect.stringContaining("page /page") });
    expect(origin.visits("/page")).toBe(1);
    const sample = await fetch(address("/shortclip/search?q=tea&limit=1"), {
      headers: { authorization: `Bearer ${await keyOf("test")}` },
    });
    expect(sample.status).toBe(200);
    expect(((await sample.json()) as Envelope<unknown[]>).data).toHaveLength(1);
  },
  long,
);

test(
  "Chromium of the image draws Chinese, Arabic, emoji and every other script checked",
  async ({ skip }) => {
    if (obstacle !== undefined) return skip(obstacle);
    const { data } = await render("markdown", `${scripts.origin}/`);
    expect(data["markdown"]).toContain("漢");
    expect(data["markdown"]).toContain("drawn as boxes: none");
    const { data: picture } = await render("screenshot", `${scripts.origin}/`);
    const bytes = Buffer.from(picture["image_base64"] ?? "", "base64");
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  },
  long,
);

test(
  "the API serves the client that the image packed, and a program calls with it",
  async ({ skip }) => {
    if (obstacle !== undefined) return skip(obstacle);
    const project = await newProject(address(""));
    try {
      const program = `
        import { Gateway } from "public-data-gateway-client";
        declare const process: { env: Record<string, string> };
        const gateway = new Gateway({ key: process.env["KEY"]!, baseUrl: process.env["URL"]! });
        console.log((await gateway.shortclip.search({ q: "tea", limit: 1 })).data.length);`;
      const env = { KEY: await keyOf("test"), URL: address("") };
      expect((await project.run("call", program, env)).trim()).toBe("1");
    } finally {
      await project.remove();
    }
  },
  long,
);

test(
  "every service ends cleanly at SIGTERM",
  async ({ skip }) => {
    if (obstacle !== undefined) return skip(obstacle);
    const codes = await Promise.all(
      lasting.map(async ([name]) => [name, await containers.get(name)?.stop()] as const),
    );
    expect(codes.filter(([, code]) => code !== 0)).toEqual([]);
  },
  long,
);
