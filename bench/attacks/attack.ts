/** The means of an attacker: one account with a live and a test key at default limits, and a web site. */
export interface Target {
  url: string;
  dashboards: string;
  live: string;
  test: string;
  /** Port of the attacker's site and receiver of webhooks, on every name below localhost. */
  sitePort: number;
  /** Aborts at the end of the attack. */
  over: AbortSignal;
  /** Time limit of the attack's pages and upload of bodies, in milliseconds. */
  longMs: number;
}

/** Calls of another account that the attack may hinder. */
export type VictimKind = "social" | "fetch" | "render" | "markdown" | "event" | "login";

export interface Attack {
  /** The deeds of the account, for the table. */
  about: string;
  /** The calls that the attack could hinder most. */
  victim: VictimKind;
  run(target: Target): Promise<unknown>;
}

export type Attacks = Record<string, Attack>;
