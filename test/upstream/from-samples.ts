import type { Samples } from "../../worker/sandbox/sample.ts";
import type { Provider } from "./simulator.ts";

/**
 * An upstream's sample answers over HTTP, with its name as a prefix, because several share their
 * paths.
 */
export function fromSamples(samples: Samples): Provider {
  return (simulator) => {
    for (const [pattern, sample] of Object.entries(samples.answers)) {
      const [method, path] = pattern.split(" ") as ["GET" | "POST", string];
      simulator.on(method, `/${samples.upstream}${path}`, (request, parts) => ({
        body: sample({
          method,
          path: request.path.slice(samples.upstream.length + 1),
          query: request.query,
          body: request.body,
          parts,
          empty: false,
          secondPage: false,
        }),
      }));
    }
  };
}
