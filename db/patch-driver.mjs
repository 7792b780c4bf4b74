// Guards the installed `postgres` driver; run after every install. Plain JavaScript for older Node versions.
//
// postgres 3.4.9 keeps small writes for the next tick. When the backend is terminated in between,
// the write meets a socket that is null and throws where nobody can catch it; and the cancelled
// timer is never forgotten, so that the reconnected connection never writes again. Upstream:
// porsager/postgres issues 1066, 1154, 1208, open fixes 1168, 1209.
// It also counts the rows of an answer that fails half-way into the next answer of that connection,
// which then begins with holes: a row that is there looks missing (issues 1119, 1181).
// Remove this file, and its call, once a release contains both fixes.
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const mark = "/* gateway guard */";

export const edits = [
  {
    why: "a statement given to a connection whose socket is gone is rejected; true keeps the pool from parking that connection as full",
    find: `    if (stream)
      return queryError(q, Errors.generic('COPY_IN_PROGRESS'`,
    put: `    ${mark}
    if (socket === null) {
      queryError(q, Errors.connection('CONNECTION_CLOSED', options, socket))
      return true
    }

    if (stream)
      return queryError(q, Errors.generic('COPY_IN_PROGRESS'`,
  },
  {
    why: "a write that is due when the socket is gone rejects what waits for it instead of throwing",
    find: `    const x = socket.write(chunk, fn)
    nextWriteTimer !== null`,
    put: `    ${mark}
    if (socket === null) {
      nextWriteTimer !== null && clearImmediate(nextWriteTimer)
      chunk = nextWriteTimer = null
      error(Errors.connection('CONNECTION_CLOSED', options, socket))
      return true
    }

    const x = socket.write(chunk, fn)
    nextWriteTimer !== null`,
  },
  {
    why: "what was not written dies with its socket, so that the next one starts clean",
    find: `    incomings = null
    clearImmediate(nextWriteTimer)
    socket.removeListener('data', data)`,
    put: `    incomings = null
    ${mark}
    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null
    socket.removeListener('data', data)`,
  },
  {
    why: "rows of an answer that was cut are not counted as the next one's, which would begin with holes",
    find: `    query = results = errorResponse = null
    result = new Result()`,
    put: `    ${mark}
    rows = 0
    query = results = errorResponse = null
    result = new Result()`,
  },
];

/** Returns the guarded source; the source itself when it is guarded already. */
export function guard(source, name) {
  return edits.reduce((text, edit) => {
    if (text.includes(edit.put)) return text;
    if (text.split(edit.find).length !== 2)
      throw new Error(`${name}: the text to guard was not found once (${edit.why})`);
    return text.replace(edit.find, () => edit.put);
  }, source);
}

function main() {
  const root = new URL("../node_modules/postgres/", import.meta.url);
  const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
  for (const path of ["src/connection.js", "cjs/src/connection.js"]) {
    const file = new URL(path, root);
    const source = readFileSync(file, "utf8");
    const guarded = guard(source, `postgres ${version} ${path}`);
    if (guarded !== source) writeFileSync(file, guarded);
  }
  console.log(`postgres ${version}: guarded`);
}

if (
  process.argv[1] &&
  realpathSync(process.argv[1]) === realpathSync(fileURLToPath(import.meta.url))
) {
  try {
    main();
  } catch (error) {
    console.error(`The database driver could not be guarded: ${error.message}`);
    console.error("Check db/patch-driver.mjs against the installed version of postgres.");
    process.exitCode = 1;
  }
}
