/** A process that waits longer for a store says so. */
const patienceMs = 3000;

interface Waiting {
  /** Its name in the sentence. */
  process: string;
  store: "Redis" | "Postgres";
  warn: (message: string) => void;
}

/** Takes a step that waits for a store: a process may start before its stores do. The step may tell why it waits. */
export async function awaitStore<T>(
  { process, store, warn }: Waiting,
  step: (tell: (reason: string) => void) => Promise<T>,
): Promise<T> {
  let reason = "";
  const silence = setTimeout(() => {
    warn(`The ${process} waits for ${store}, and starts once it works.${reason}`);
  }, patienceMs);
  try {
    return await step((latest) => (reason = ` ${latest}`));
  } finally {
    clearTimeout(silence);
  }
}
