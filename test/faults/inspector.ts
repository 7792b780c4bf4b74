/** Inspects a running process that was started with `--inspect=<port>`. */
export interface Inspector {
  /** Bytes of the heap after a full collection. */
  heap(): Promise<number>;
  /** Value of an expression in the process. */
  evaluate<T>(expression: string): Promise<T>;
  /** Number of timers that keep the process alive, by their time and the start of their function. */
  timers(): Promise<Record<string, number>>;
  close(): void;
}

/** An object of the process. */
interface Held {
  objectId: string;
}

/** Of an array of timers, in the process. */
const countTimers = `function () {
  const counts = {};
  for (const timer of this) {
    if (timer._destroyed || !timer.hasRef()) continue;
    const name = timer._idleTimeout + " ms " + String(timer._onTimeout).slice(0, 100);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}`;

export async function inspect(port: number): Promise<Inspector> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl as string);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve(), { once: true });
    socket.addEventListener("error", () => reject(new Error("no inspector")), { once: true });
  });
  let last = 0;

  function send<T>(method: string, params: object = {}): Promise<T> {
    const id = (last += 1);
    return new Promise((resolve, reject) => {
      const onMessage = ({ data }: MessageEvent) => {
        const message = JSON.parse(String(data)) as { id?: number; result: T; error?: object };
        if (message.id !== id) return;
        socket.removeEventListener("message", onMessage);
        if (message.error) reject(new Error(JSON.stringify(message.error)));
        else resolve(message.result);
      };
      socket.addEventListener("message", onMessage);
      socket.send(JSON.stringify({ id, method, params }));
    });
  }

  async function evaluate<T>(expression: string): Promise<T> {
    const params = { expression, returnByValue: true };
    const { result } = await send<{ result: { value: T } }>("Runtime.evaluate", params);
    return result.value;
  }

  async function timers(): Promise<Record<string, number>> {
    const prototype = "Object.getPrototypeOf(setTimeout(() => {}, 0))";
    const { result } = await send<{ result: Held }>("Runtime.evaluate", { expression: prototype });
    const { objects } = await send<{ objects: Held }>("Runtime.queryObjects", {
      prototypeObjectId: result.objectId,
    });
    const counted = await send<{ result: { value: Record<string, number> } }>(
      "Runtime.callFunctionOn",
      { objectId: objects.objectId, functionDeclaration: countTimers, returnByValue: true },
    );
    return counted.result.value;
  }

  return {
    evaluate,
    timers,
    async heap() {
      await send("HeapProfiler.collectGarbage");
      return evaluate<number>("process.memoryUsage().heapUsed");
    },
    close: () => socket.close(),
  };
}
