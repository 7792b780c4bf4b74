import type { Call } from "../../connector.ts";
import type { Reply, Upstream } from "../../transport/upstream.ts";
import { at, each } from "#wire";
import { tikhub } from "./client.ts";

const base = "/api/v1/linkedin/web_v2";

/** Parameter that a route requires in place of `url`, learned from its refusal. */
const requiredParameters = new Map<string, string>();

/** TikHub for this platform: the parameter named in a refusal is read. */
const linkedin: Upstream = {
  ...tikhub,
  judge: (reply) => (requiredParameter(reply) === undefined ? tikhub.judge(reply) : { ok: true }),
};

/**
 * One read of a page by its `url`. Some routes have alternated between the page's address and its name: a
 * route that requires the name gets it at once, and then for the life of the process.
 */
export async function getPage(
  call: Pick<Call, "send">,
  route: string,
  page: { url: string; name: string },
  query: Record<string, string | number | undefined> = {},
): Promise<unknown> {
  const read = (parameter: string | undefined) =>
    call.send(parameter === undefined ? linkedin : tikhub, {
      method: "GET",
      path: `${base}/${route}`,
      query: {
        ...(parameter === undefined ? { url: page.url } : { [parameter]: page.name }),
        ...query,
      },
    });
  const known = requiredParameters.get(route);
  const reply = await read(known);
  const parameter = known === undefined ? requiredParameter(reply) : undefined;
  if (parameter === undefined) return reply.body;
  requiredParameters.set(route, parameter);
  return (await read(parameter)).body;
}

const names = new Set(["universal_name", "username", "post_urn"]);

function requiredParameter({ status, body }: Reply): string | undefined {
  if (status !== 422) return undefined;
  const missing = each(at(body, "detail"), (entry) => {
    const name = at(entry, "loc", 1);
    return typeof name === "string" && names.has(name) ? name : undefined;
  });
  return missing[0];
}
