/** The served version; without an older one in the table it is the only value of the header Svc-Version. */
export const currentVersion = "2026-07-01";

type Json = { [key: string]: unknown };

/** A version still served beside the current one: a pair of transformations at the edge. */
export interface OlderVersion {
  /** Told in the header Deprecation. */
  deprecatedAt: Date;
  /** Told in the header Sunset. */
  sunsetAt: Date;
  /** A request body of this version as one of the current version. */
  upgrade?(operation: string, body: Json): Json;
  /** A success envelope of the current version as one of this version. */
  downgrade?(operation: string, envelope: Json): Json;
}

export type OlderVersions = ReadonlyMap<string, OlderVersion>;

export const olderVersions: OlderVersions = new Map();
