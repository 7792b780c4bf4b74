/** Runs so many steps at once and the others behind them. */
export function oneBehindAnother(most: number) {
  let running = 0;
  const behind: (() => void)[] = [];
  return async function <T>(step: () => Promise<T>): Promise<T> {
    if (running >= most) await new Promise<void>((resolve) => behind.push(resolve));
    else running += 1;
    try {
      return await step();
    } finally {
      const next = behind.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
