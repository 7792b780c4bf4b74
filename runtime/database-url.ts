import * as z from "zod";

/** DATABASE_URL of a process. It may list several hosts, separated by commas; one of them is writable. */
export const databaseUrl = z
  .string()
  .refine((url) => /^postgres(ql)?:$/.test(URL.parse(firstHost(url))?.protocol ?? ""), {
    error: "a postgres:// URL",
  });

const firstHost = (url: string): string =>
  url.replace(/^([^/]*\/\/(?:[^@/]*@)?[^,/?]*),[^/?]*/, "$1");
