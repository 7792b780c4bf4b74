import Fastify from "fastify";
import postgres from "postgres";

/** The floor of a replay: a bare route with one keyed select. */
const sql = postgres(process.env["DATABASE_URL"] as string, { max: 6 });
await sql`create table if not exists floor_replay (key text primary key, body text)`;
await sql`insert into floor_replay values ('one', ${JSON.stringify({ data: { text: "x".repeat(200) } })}) on conflict do nothing`;

const app = Fastify();
app.post("/bench/noop", async (request, reply) => {
  const [row] = await sql<{ body: string }[]>`
    select body from floor_replay where key = ${String(request.headers["idempotency-key"])}`;
  return reply.type("application/json").send(row?.body);
});
process.stdout.write(`${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);
