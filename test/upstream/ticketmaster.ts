import { ticketmaster as samples } from "../../worker/areas/events/samples/answers.ts";
import type { Provider } from "./simulator.ts";

/** Ticketmaster over HTTP: its sample answers for any client with a key. */
export function ticketmaster(options: { key?: string } = {}): Provider {
  return (simulator) => {
    for (const [route, sample] of Object.entries(samples.answers)) {
      const [method, path] = route.split(" ") as ["GET", string];
      simulator.on(method, path, ({ query, body }, parts) => {
        const given = query.apikey;
        if (!given || given !== (options.key ?? given)) {
          return { status: 401, body: { fault: { faultstring: "Invalid ApiKey" } } };
        }
        return {
          body: sample({ method, path, query, body, parts, empty: false, secondPage: false }),
        };
      });
    }
  };
}
