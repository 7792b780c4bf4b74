import type { Limit } from "./verdict.ts";

const megabyte = 1_000_000;

/** Permitted growth of figures over a soak; the last word of a series names its figure. */
export const limits: Record<"underLoad" | "atRest", Readonly<Record<string, Limit>>> = {
  /** Last third of the traffic against its first. */
  underLoad: {
    // After a forced collection: optimised code and caches that are still filling.
    heap: { share: 0.1, plus: 5 * megabyte },
    // Allocators seldom return pages, so only a steep rise counts.
    rss: { share: 0.3, plus: 60 * megabyte },
    // Connections to upstreams and callers come and go with the calls in flight.
    files: { share: 0, plus: 8 },
    sockets: { share: 0, plus: 8 },
    resources: { share: 0, plus: 12 },
  },
  /** At rest: everything opened for a call is closed. */
  atRest: {
    // A replaced browser may have other pipes open than the first.
    files: { share: 0, plus: 4 },
    sockets: { share: 0, plus: 4 },
    // Markdown uses up to two threads, the second started on demand.
    loops: { share: 0, plus: 1 },
    resources: { share: 0, plus: 4 },
    // Of two browsers; each may have a helper process more or less.
    processes: { share: 0, plus: 2 },
    contexts: { share: 0, plus: 0 },
    renderers: { share: 0, plus: 2 },
    folders: { share: 0, plus: 0 },
    orphans: { share: 0, plus: 0 },
    connections: { share: 0, plus: 2 },
    // Finished jobs that a queue keeps, and its event stream.
    memory: { share: 0, plus: 50 * megabyte },
  },
};
