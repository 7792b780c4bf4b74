import * as z from "zod";

/** A package URL of a request, with or without a version; records of packages have one as `purl`. */
export const packageUrl = z
  .string()
  .trim()
  .max(512)
  .regex(/^pkg:[a-z][a-z0-9.+-]*\/[^\s?#]+$/, {
    message: "must be a package URL without qualifiers, such as `pkg:npm/%40scope/name@1.2.3`",
  })
  .describe("Package URL, pkg:type/namespace/name@version, with or without the version");
