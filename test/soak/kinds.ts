import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { choices } from "../random.ts";
import type { CallRequest, Client, Traffic } from "./traffic.ts";
import type { Status } from "./verdict.ts";

/** A kind of call in the mix. */
export interface Kind {
  name: string;
  /** Each group has a separate rate. */
  group: "browser" | "calls" | "background";
  /** Share of the group's calls. */
  weight: number;
  /** Statuses that need no fault as an explanation. */
  expected: readonly Status[];
  /** Its answer depends on the upstream that is taken away. */
  upstream?: boolean;
  /** Too few or too slow to measure capacity with. */
  rare?: boolean;
  run(traffic: Traffic, count: number): Promise<unknown>;
}

export interface Clients {
  live: readonly Client[];
  test: readonly Client[];
  /** A client without credits. */
  poor: Client;
}

const find = (id: string): Operation => {
  const op = operations.get(id);
  if (!op) throw new Error(`no operation ${id}`);
  return op;
};

/** The example of an operation as a request. */
function example(op: Operation, client: Client): CallRequest {
  const rest: Record<string, unknown> = { ...op.example };
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return encodeURIComponent(value);
  });
  if (op.method === "POST") return { client, method: "POST", path, body: rest, op };
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]) => [name, String(value)]),
  );
  return { client, method: "GET", path: query.size > 0 ? `${path}?${query}` : path, op };
}

/** The mix: every pool, both modes, callers of every kind. `site` serves the rendered pages. */
export function kindsOf(clients: Clients, site: string): Kind[] {
  const ofPool = (pool: string) => [...operations.values()].filter((op) => op.pool === pool);
  const pick = <T>(all: readonly T[], count: number) => all[count % all.length] as T;
  const live = (count: number) => pick(clients.live, count);
  const tester = (count: number) => pick(clients.test, count);
  // Few enough that calls return to their stored data.
  const tenants = [...clients.live.slice(0, 2), tester(0)];
  const key = (name: string, count: number) => `${name}-${count}`;
  const chosen = choices("callers who leave");

  const page = (id: string, count: number, query = "", input: object = {}): CallRequest => {
    const op = find(id);
    const url = `${site}/page-${count % 7}${query}`;
    const client = pick(tenants, count);
    return { client, method: "POST", path: op.path, op, body: { url, ...input } };
  };
  const backlinks = (name: string, count: number): CallRequest => {
    const op = find("seo.backlinks.list");
    const body = { target: `${name}-${count}.example.com`, limit: 1 + (count % 12) };
    return { client: live(count), method: "POST", path: op.path, op, body };
  };
  const hosts = (count: number) =>
    Array.from({ length: 300 }, (_, at) => `site-${count}-${at}.example`);

  const pages = (name: string, weight: number): Kind => ({
    name: `browser.${name}`,
    group: "browser",
    weight,
    expected: [200],
    run: (traffic, count) =>
      traffic.send(`browser.${name}`, page(`browser.${name}`, count, `?size=${count % 5}0000`)),
  });
  const examples = (
    name: string,
    mode: "live" | "test",
    weight: number,
    ops: Operation[],
  ): Kind => ({
    name,
    group: "calls",
    weight,
    expected: [200],
    ...(mode === "live" ? { upstream: true } : {}),
    run: (traffic, count) =>
      traffic.send(name, example(pick(ops, count), mode === "live" ? live(count) : tester(count))),
  });

  const kinds: Kind[] = [
    pages("html", 3),
    pages("markdown", 4),
    pages("links", 2),
    {
      ...pages("screenshot", 2),
      run: (traffic, count) =>
        traffic.send(
          "browser.screenshot",
          page("browser.screenshot", count, "", { viewport: { width: 800, height: 600 } }),
        ),
    },
    {
      name: "page, keyed and replayed",
      group: "browser",
      weight: 1,
      expected: [200],
      rare: true,
      async run(traffic, count) {
        const idempotencyKey = key("page", count);
        const ask = { ...page("browser.markdown", count), idempotencyKey };
        await traffic.sendUntilKept(this.name, ask);
        await traffic.sendUntilKept(this.name, ask);
      },
    },
    {
      name: "page that does not exist",
      group: "browser",
      weight: 0.5,
      expected: [404],
      rare: true,
      run: (traffic, count) =>
        traffic.send("page that does not exist", page("browser.html", count, "?status=404")),
    },
    {
      name: "page, caller leaves",
      group: "browser",
      weight: 0.5,
      expected: ["unknown"],
      rare: true,
      run: (traffic, count) =>
        traffic.send("page, caller leaves", {
          ...page("browser.html", count, "?ms=3000"),
          leavesAfterMs: chosen(50, 1500),
        }),
    },

    examples("social, test mode", "test", 8, ofPool("social")),
    examples("seo, live", "live", 5, ofPool("seo")),
    examples("serp and geo, live", "live", 4, ofPool("serp")),
    examples("serp and geo, test mode", "test", 1, ofPool("serp")),
    examples("social, live", "live", 4, [find("shortclip.search")]),
    {
      name: "bulk of 300, live",
      group: "calls",
      weight: 1,
      expected: [200],
      upstream: true,
      run(traffic, count) {
        const op = find("seo.backlinks.bulk_ranks");
        const body = { targets: hosts(count) };
        return traffic.send(this.name, {
          client: live(count),
          method: "POST",
          path: op.path,
          op,
          body,
        });
      },
    },
    {
      name: "seo, keyed with concurrent retries and replays",
      group: "calls",
      weight: 2,
      expected: [200],
      upstream: true,
      async run(traffic, count) {
        const ask = { ...backlinks("keyed", count), idempotencyKey: key("seo", count) };
        const retries = Array.from({ length: 1 + (count % 3) }, () =>
          traffic.sendUntilKept(this.name, ask),
        );
        await Promise.all(retries);
        await traffic.send(this.name, ask);
      },
    },
    {
      name: "seo, keyed, caller leaves and returns",
      group: "calls",
      weight: 0.5,
      expected: [200, "unknown"],
      upstream: true,
      rare: true,
      run(traffic, count) {
        return traffic.sendUntilKept(this.name, {
          ...backlinks("left", count),
          idempotencyKey: key("left", count),
          leavesAfterMs: chosen(1, 40),
        });
      },
    },
    {
      name: "slow, caller leaves",
      group: "calls",
      weight: 0.3,
      expected: ["unknown"],
      rare: true,
      run(traffic, count) {
        return traffic.send(this.name, {
          ...example(pick(ofPool("social"), count), tester(count)),
          headers: { "Svc-Test-Scenario": "slow" },
          leavesAfterMs: chosen(50, 1500),
        });
      },
    },
    {
      name: "not found, keyed",
      group: "calls",
      weight: 0.5,
      expected: [404],
      rare: true,
      async run(traffic, count) {
        const ask = {
          ...backlinks("missing", count),
          client: tester(count),
          headers: { "Svc-Test-Scenario": "not_found" },
          idempotencyKey: key("missing", count),
        };
        await traffic.sendUntilKept(this.name, ask);
        await traffic.send(this.name, ask);
      },
    },
    {
      name: "cannot pay",
      group: "calls",
      weight: 0.5,
      expected: [402],
      run(traffic, count) {
        return traffic.send(this.name, { ...backlinks("poor", count), client: clients.poor });
      },
    },
    {
      name: "bad input",
      group: "calls",
      weight: 1,
      expected: [400],
      run(traffic, count) {
        const body = pick([{ target: 5 }, {}, { target: "a.example", limit: -1 }, [1]], count);
        return traffic.send(this.name, { ...backlinks("bad", count), body });
      },
    },
    {
      name: "unknown route",
      group: "calls",
      weight: 0.5,
      expected: [404],
      run(traffic, count) {
        const path = `/nowhere/${count}`;
        return traffic.send(this.name, { client: live(count), method: "GET", path });
      },
    },
    {
      name: "no valid key",
      group: "calls",
      weight: 0.5,
      expected: [401],
      run(traffic, count) {
        const client = pick([undefined, { account: 0, key: `svc_live_wrong_${count}` }], count);
        return traffic.send(this.name, {
          ...(client ? { client } : {}),
          method: "GET",
          path: "/account",
        });
      },
    },
    {
      name: "account",
      group: "calls",
      weight: 0.5,
      expected: [200],
      run(traffic, count) {
        const path = pick(["/account", "/account/usage", "/operations"], count);
        return traffic.send(this.name, { client: live(count), method: "GET", path });
      },
    },
  ];
  return kinds;
}
