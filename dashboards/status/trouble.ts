/** `bad`: calls fail, wait or are refused. `warn`: something needs a look. `info`: worth knowing only. */
export type Level = "bad" | "warn" | "info";

export interface Trouble {
  /** The same for the same trouble at every look. */
  key: string;
  level: Level;
  /** A clause without its time. */
  text: string;
  /** Unix time in milliseconds, where the facts tell it. */
  since?: number | undefined;
  href?: string | undefined;
}

/** Redis and quotas are told before they are exhausted. */
export const nearAt = 0.8;

export const many = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
