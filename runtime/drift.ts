import { queuePrefix } from "./redis/keys.ts";

/** Hash: `operation upstream route` -> text of a `DriftProfile`. */
export const driftKey = `${queuePrefix}:drift`;
/** Hash: the same field -> JSON of `{findings, first}`, for profiles with findings that stand. */
export const driftOpenKey = `${queuePrefix}:drift:open`;
/** Profiles expire this long after the last answer of any operation. */
export const driftLifeSeconds = 30 * 24 * 3600;

/** `gone`: no value comes any more; `emptied`: only null, "", [] or {} comes; `retyped`: another kind of value; `new`: an unknown field that comes often. */
export type DriftChange = "gone" | "emptied" | "retyped" | "new";

/** A change of an upstream's answers. It contains paths, kinds and counts, never values. */
export interface DriftFinding {
  /** `data[].author.name`; `[]` is any entry of a list, `*` any member that is named by data; `(answer)` the answer itself. */
  path: string;
  change: DriftChange;
  /** The values before and since, in words. */
  was: string;
  now: string;
  /** Unix times in milliseconds: when it was found, and when it was last seen. */
  first: number;
  last: number;
  /** When it was over: the field came again, or the new one has become usual. */
  ended?: number;
}

/** Shape of the answers of one upstream's route for one operation. */
export interface DriftProfile {
  operation: string;
  upstream: string;
  /** Method and path template of the request. */
  route: string;
  /** Answers behind the profile. */
  answers: number;
  since: number;
  last: number;
  findings: DriftFinding[];
  /** The tree of worker/drift/profile.ts, which alone reads it. */
  places: unknown;
}

export interface StoredProfile {
  /** Counts the writes, so that two workers do not overwrite each other. */
  revision: number;
  profile: DriftProfile;
}

/** The entry of `driftOpenKey`; "" where nothing stands. */
export function openFindings({ findings }: Pick<DriftProfile, "findings">): string {
  const open = findings.filter(({ ended }) => ended === undefined);
  if (open.length === 0) return "";
  const first = Math.min(...open.map((finding) => finding.first));
  return JSON.stringify({ findings: open.length, first });
}

export function encodeProfile({ revision, profile }: StoredProfile): string {
  const { places, ...head } = profile;
  return `${revision} ${JSON.stringify({ ...head, places })}`;
}

/** A profile without its tree of places, which is nearly all of its text. */
export function decodeFindings(text: string): Omit<DriftProfile, "places"> | undefined {
  const start = text.indexOf("{");
  // The last member; a quote inside a string has a backslash before it, so this is no part of one.
  const end = text.indexOf(',"places":');
  try {
    const head = JSON.parse(`${text.slice(start, end)}}`) as Omit<DriftProfile, "places">;
    if (Array.isArray(head.findings)) return head;
  } catch {
    // Its members are in another order.
  }
  return decodeProfile(text)?.profile;
}

/** Undefined for a text of another form. */
export function decodeProfile(text: string): StoredProfile | undefined {
  const [, revision, json] = /^(\d+) (.*)$/s.exec(text) ?? [];
  if (revision === undefined || json === undefined) return undefined;
  try {
    return { revision: Number(revision), profile: JSON.parse(json) as DriftProfile };
  } catch {
    return undefined;
  }
}
