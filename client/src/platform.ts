/**
 * The parts of the platform's types that callers meet. A program needs neither the DOM's types nor Node's, and
 * the platform's own objects fit.
 */

export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface HeaderReader {
  get(name: string): string | null;
}

export interface HttpAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly type: string;
  readonly headers: HeaderReader;
  readonly body: unknown;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

/** A function with the parameters of the platform's `fetch`. */
export type Fetch = (url: string, init: never) => Promise<HttpAnswer>;
