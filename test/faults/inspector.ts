/** Inspects a running process that was started with `--inspect=<port>`. */
export interface Inspector {
  /** Bytes of the heap after a full collection. */
  heap(): Promise<number>;
  /** Value of an expression in the process. */
  evaluate<T>(expression: string): Promise<T>;
  close(): void;
}

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

  return {
    evaluate,
    async heap() {
      await send("HeapProfiler.collectGarbage");
      return evaluate<number>("process.memoryUsage().heapUsed");
    },
    close: () => socket.close(),
  };
}
