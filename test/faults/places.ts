import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Redis } from "ioredis";
import type { Sql } from "postgres";

/** A location that may hold a text, with its content. */
export interface TextLocation {
  name: string;
  content: string;
}

/** Every key of a Redis with its content, whatever its type. */
export async function redisKeys(redis: Redis): Promise<TextLocation[]> {
  const locations: TextLocation[] = [];
  for await (const keys of redis.scanStream({ count: 1000 })) {
    const contents = await Promise.all((keys as string[]).map((key) => contentOf(redis, key)));
    for (const [at, key] of (keys as string[]).entries())
      locations.push({ name: `redis ${key}`, content: `${key}\n${contents[at]}` });
  }
  return locations;
}

async function contentOf(redis: Redis, key: string): Promise<string> {
  const type = await redis.type(key);
  switch (type) {
    case "string":
      return (await redis.getBuffer(key))?.toString("latin1") ?? "";
    case "hash":
      return flat(await redis.callBuffer("HGETALL", key));
    case "list":
      return flat(await redis.lrangeBuffer(key, 0, -1));
    case "set":
      return flat(await redis.smembersBuffer(key));
    case "zset":
      return flat(await redis.zrangeBuffer(key, "0", "-1"));
    case "stream":
      return flat(await redis.xrangeBuffer(key, "-", "+"));
    // Expired since it was listed.
    case "none":
      return "";
    default:
      throw new Error(`${key}: no way to read a ${type}`);
  }
}

const flat = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(flat).join("\n")
    : Buffer.isBuffer(value)
      ? value.toString("latin1")
      : String(value);

/** Every write since the server started, including expired and overwritten values. */
export async function redisHistory(redis: Redis): Promise<TextLocation[]> {
  const setting = async (name: string) =>
    ((await redis.config("GET", name)) as string[])[1] as string;
  const folder = join(await setting("dir"), await setting("appenddirname"));
  const files = await readdir(folder);
  return Promise.all(
    files.map(async (file) => ({
      name: `append-only file ${file}`,
      content: (await readFile(join(folder, file))).toString("latin1"),
    })),
  );
}

/** Every row of every table as text; bytes in hexadecimal. */
export async function databaseRows(sql: Sql): Promise<TextLocation[]> {
  const tables = await sql<{ schema: string; name: string }[]>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
  return Promise.all(
    tables.map(async ({ schema, name }) => {
      const rows = await sql<{ row: string }[]>`
        select t::text as row from ${sql(schema)}.${sql(name)} t`;
      return { name: `table ${schema}.${name}`, content: rows.map(({ row }) => row).join("\n") };
    }),
  );
}

/** Possible encodings of a text: plain, base64, hexadecimal or URL-encoded. */
function forms(text: string): string[] {
  const bytes = Buffer.from(text);
  return [
    text,
    encodeURIComponent(text),
    bytes.toString("hex"),
    // Base64 of a longer text, in which this one begins at any byte of a group of three.
    ...[0, 1, 2].map((shift) =>
      Buffer.concat([Buffer.alloc(shift), bytes])
        .toString("base64")
        .slice(shift > 0 ? 4 : 0, Math.floor((shift + bytes.length) / 3) * 4),
    ),
  ];
}

/** "secret in place" for each secret found in any place and form. */
export function search(
  locations: readonly TextLocation[],
  secrets: Record<string, string>,
): string[] {
  const needles = Object.entries(secrets).map(([name, text]) => ({ name, forms: forms(text) }));
  return locations.flatMap((location) =>
    needles
      .filter((secret) => secret.forms.some((form) => location.content.includes(form)))
      .map((secret) => `${secret.name} in ${location.name}`),
  );
}
