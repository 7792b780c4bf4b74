import type { Samples } from "./sample.ts";

/**
 * Finds the template of a request's path. Every request has a sample, so the samples contain every
 * template; a path that matches none has no template.
 */
export function pathTemplates(all: readonly Samples[]) {
  const byRequest = new Map<string, { template: string; rule: RegExp }[]>();
  for (const { upstream, answers } of all) {
    for (const pattern of Object.keys(answers)) {
      const [method = "", template = ""] = pattern.split(" ");
      const rule = pathRule(template);
      const key = `${upstream} ${method}`;
      byRequest.set(key, [...(byRequest.get(key) ?? []), { template, rule }]);
    }
  }
  return (upstream: string, method: string, path: string): string | undefined =>
    byRequest.get(`${upstream} ${method}`)?.find(({ rule }) => rule.test(path))?.template;
}

/** Pattern of a template; each `{part}` is a group. */
export function pathRule(template: string): RegExp {
  const escaped = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "([^/]+)");
  return new RegExp(`^${escaped}$`);
}
