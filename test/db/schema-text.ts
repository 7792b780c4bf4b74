import type { Database } from "../../db/client.ts";

/**
 * The schema of a database as text that every version of Postgres writes alike: from its catalogs, because
 * pg_dump needs the server's own version. Functions are listed without their bodies, which db/functions has;
 * `bodies` adds them, to compare two databases.
 */
export async function schemaText(
  { sql }: Database,
  { bodies = false }: { bodies?: boolean } = {},
): Promise<string> {
  const tables = await sql<{ name: string; options: string[] | null; parts: string[] }[]>`
    select c.relname as name, to_jsonb(c.reloptions) as options, to_jsonb(array(
      select text from (
        select 1 as rank, a.attnum::integer as place, concat_ws(' ', a.attname,
          format_type(a.atttypid, a.atttypmod),
          case when a.attnotnull then 'not null' end,
          case a.attidentity when 'a' then 'generated always as identity' end,
          'default ' || pg_get_expr(d.adbin, d.adrelid),
          case when a.attstorage = 'e' and t.typstorage <> 'e' then 'storage external' end) as text
        from pg_attribute a join pg_type t on t.oid = a.atttypid
          left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        union all
        select 2, row_number() over (order by k.conname)::integer,
          concat_ws(' ', 'constraint', k.conname, pg_get_constraintdef(k.oid))
        from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c')
      ) part order by rank, place)) as parts
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
    order by c.relname`;
  const beside = await sql<{ table: string; text: string }[]>`
    select * from (
      select c.relname as table, pg_get_indexdef(i.indexrelid) as text
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
      where c.relnamespace = 'public'::regnamespace
        and not exists (select 1 from pg_constraint k where k.conindid = x.oid and k.contype in ('p', 'u'))
      union all
      select c.relname, pg_get_triggerdef(g.oid)
      from pg_trigger g join pg_class c on c.oid = g.tgrelid
      where c.relnamespace = 'public'::regnamespace and not g.tgisinternal
    ) one order by text collate "C"`;
  const functions = await sql<{ head: string; body: string }[]>`
    select concat_ws(' ', format('create function %I(%s)', p.proname, pg_get_function_arguments(p.oid)),
      'returns', pg_get_function_result(p.oid), 'language', l.lanname,
      case p.provolatile when 'i' then 'immutable' when 's' then 'stable' end,
      'set ' || array_to_string(p.proconfig, ' set ')) as head, p.prosrc as body
    from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace = 'public'::regnamespace
    order by p.proname`;
  const of = (name: string) =>
    beside
      .filter(({ table }) => table === name)
      .map(({ text }) => `${text.replaceAll("public.", "")};\n`);
  return [
    ...tables.map(
      ({ name, options, parts }) =>
        `create table ${name} (\n  ${parts.join(",\n  ")}\n)${options ? ` with (${options.join(", ")})` : ""};\n${of(name).join("")}\n`,
    ),
    ...functions.map(({ head, body }) => `${head};\n${bodies ? `${body}\n` : ""}`),
  ].join("");
}
