/** The served version; without an older one in the table it is the only value of the header Svc-Version. */
export const currentVersion = "2026-07-01";

type Json = { [key: string]: unknown };

/** An older version that is still served, as a pair of transformations in the API. */
export interface OlderVersion {
  /** Sent in the header Deprecation. */
  deprecatedAt: Date;
  /** Sent in the header Sunset. */
  sunsetAt: Date;
  /** Converts a request body of this version to the current version. */
  upgrade?(operation: string, body: Json): Json;
  /** Converts a success envelope of the current version to this version. */
  downgrade?(operation: string, envelope: Json): Json;
}

export type OlderVersions = ReadonlyMap<string, OlderVersion>;

export const olderVersions: OlderVersions = new Map();
