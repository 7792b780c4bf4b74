/** Directives with a value, whose name is no agent's. */
const withValue = /^(?:unavailable_after|max-[\w-]+)$/i;

/**
 * Whether a page asks an agent not to follow its links. `stated` has a line for each `meta name=robots` and for each
 * header X-Robots-Tag, which may name the agents that it is for.
 */
export function closesLinks(stated: string, agent: string): boolean {
  return stated.split("\n").some((line) => {
    let isForAgent = true;
    return line.split(",").some((part) => {
      const [, name, value = part] = /^\s*([\w-]+)\s*:(.*)$/.exec(part) ?? [];
      if (name !== undefined && withValue.test(name)) return false;
      if (name !== undefined) isForAgent = name.toLowerCase() === agent;
      return isForAgent && /(?:^|\s)(?:nofollow|none)(?:\s|$)/i.test(value);
    });
  });
}
