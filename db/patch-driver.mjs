// Guards the installed `postgres` driver; run after every install. Plain JavaScript for older Node versions.
//
// postgres 3.4.9 defers small writes to the next tick. When the backend is terminated in between, the
// write finds a null socket and throws an error that nobody can catch; and the driver keeps the cancelled
// timer, so that the reconnected connection never writes again. Upstream: porsager/postgres issues 1066,
// 1154, 1208, open fixes 1168, 1209.
// The driver also adds the rows of a partly failed answer to the next answer of that connection, which
// then begins with holes: an existing row looks missing (issues 1119, 1181).
// And it keeps the last error of a connection that ended during a statement: the first statement after the
// reconnection, seconds or hours later, is rejected with it.
// And a pool that is ended while a connection waits for its next attempt connects all the same, and keeps
// that session for up to an hour: six at a time where a pool was replaced beside a frozen server.
// And a statement whose connection ends before it could be sent waits while the driver connects again, at once and for
// ever: behind a proxy that has lost its server, hundreds of sessions a second from each pool, which kept Postgres busy
// for seconds after it was back (issues 1179, 1188, 1193).
// Remove this file, and its call, once a release contains all five fixes.
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const mark = "/* gateway guard */";

export const edits = [
  {
    why: "reject a statement on a connection whose socket is gone; true keeps the pool from parking that connection as full",
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
    why: "reject the queries that wait for a deferred write when the socket is gone, instead of throwing",
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
    why: "drop unwritten bytes with their socket, so that the next socket starts clean",
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
    why: "keep the timer of the next attempt to connect",
    find: `    setTimeout(connect, closedTime`,
    put: `    ${mark}
    reconnectTimer = setTimeout(connect, closedTime`,
  },
  {
    why: "declare that timer",
    find: `    , errorResponse = null
    ,`,
    put: `    , errorResponse = null
    ${mark}
    , reconnectTimer = null
    ,`,
  },
  {
    why: "make no further attempt to connect once the connection is ended",
    find: `    clearImmediate(nextWriteTimer)
    if (socket) {`,
    put: `    clearImmediate(nextWriteTimer)
    ${mark}
    clearTimeout(reconnectTimer)
    if (socket) {`,
  },
  {
    why: "reject the statement of a connection that ended before it could be sent, once each host was tried: the driver would connect again at once, for ever",
    find: `    if (initial)
      return reconnect()
`,
    put: `    ${mark}
    if (initial && options.host[++retries]) {
      query = results = errorResponse = null
      rows = 0
      result = new Result()
      return reconnect()
    }
    retries = 0
    if (initial) {
      hadError = true
      errored(Errors.connection('CONNECTION_CLOSED', options, socket))
    }
`,
  },
  {
    why: "end no process where a connection ends while the driver asks its host whether it is the primary",
    find: `    query.execute()
  }

  function ErrorResponse`,
    put: `    ${mark}
    query.catch(noop)
    query.execute()
  }

  function ErrorResponse`,
  },
  {
    why: "forget the last error of a closed connection, which would reject the first statement of the next one",
    find: `    closedTime = performance.now()
    hadError && options.shared.retries++`,
    put: `    ${mark}
    query = results = errorResponse = null
    rows = 0
    result = new Result()
    closedTime = performance.now()
    hadError && options.shared.retries++`,
  },
  {
    why: "do not count the rows of a broken answer as those of the next one, which would begin with holes",
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
      throw new Error(`${name}: the text to guard was not found exactly once (${edit.why})`);
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
