import * as z from "zod";

/** DATABASE_URL of a process. */
export const databaseUrl = z
  .string()
  .refine((url) => /^postgres(ql)?:$/.test(URL.parse(firstHost(url))?.protocol ?? ""), {
    error: "a postgres:// URL",
  })
  .describe(
    "URL of Postgres, `postgres://user:password@host:5432/database`. It may list several hosts, separated by commas; one of them is writable. `docs/stores.md` has every form.",
  );

const firstHost = (url: string): string =>
  url.replace(/^([^/]*\/\/(?:[^@/]*@)?[^,/?]*),[^/?]*/, "$1");
