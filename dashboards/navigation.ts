/** The pages that every page leads to. */
export const mainPages: readonly (readonly [address: string, name: string])[] = [
  ["/", "Overview"],
  ["/calls", "Calls"],
  ["/accounts", "Accounts"],
  ["/work", "Batches and jobs"],
  ["/webhooks", "Webhooks"],
  ["/upstreams", "Upstreams"],
  ["/queues", "Queues"],
  ["/workers", "Workers"],
  ["/capacity", "Capacity"],
  ["/controls", "Controls"],
  ["/changes", "Changes"],
  ["/runbooks", "Runbooks"],
];

/** Links to all of them but one. */
export const navigation = (without?: string): string =>
  mainPages
    .filter(([address]) => address !== without)
    .map(([address, name]) => `<a href="${address}">${name}</a>`)
    .join(" ");
