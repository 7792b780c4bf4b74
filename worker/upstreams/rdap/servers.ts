import { BlockList, isIPv6 } from "node:net";
import { array, at, each, text } from "#wire";

/** Servers of a list: pairs of keys (top-level domains or address blocks) and addresses. */
type Services = readonly { keys: string[]; url: string }[];

export function servicesOf(body: unknown): Services {
  return each(at(body, "services"), (entry) => {
    const [keys, urls] = array(entry) ?? [];
    const url = each(urls, text).find((one) => one.startsWith("https://"));
    return url === undefined ? undefined : { keys: each(keys, text), url };
  });
}

/** The server of a domain: that of the longest ending which is a key. */
export function domainServer(services: Services, domain: string): string | undefined {
  const labels = domain.split(".");
  for (let from = 1; from < labels.length; from += 1) {
    const ending = labels.slice(from).join(".");
    const service = services.find(({ keys }) => keys.some((key) => key.toLowerCase() === ending));
    if (service) return service.url;
  }
  return undefined;
}

/** The server of an address: that of the smallest block which holds it. */
export function addressServer(services: Services, address: string): string | undefined {
  const blocks = services.flatMap(({ keys, url }) => keys.map((key) => ({ key, url })));
  const holding = blocks.filter(({ key }) => holds(key, address));
  return holding.toSorted((one, other) => lengthOf(other.key) - lengthOf(one.key))[0]?.url;
}

const lengthOf = (block: string) => Number(block.split("/")[1]);

function holds(block: string, address: string): boolean {
  const [network = "", length] = block.split("/");
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  try {
    const list = new BlockList();
    list.addSubnet(network, Number(length), family);
    return list.check(address, family);
  } catch {
    // The key is no block of this family.
    return false;
  }
}
