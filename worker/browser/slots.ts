/** Room for so many jobs at once; the others wait, first come first served. */
export interface Slots {
  /** True once there is room, which `leave` gives back; false when the signal came first. */
  enter(signal: AbortSignal): Promise<boolean>;
  leave(): void;
}

export function createSlots(most: number): Slots {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    enter(signal) {
      if (signal.aborted) return Promise.resolve(false);
      if (taken < most) {
        taken += 1;
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const wake = () => {
          signal.removeEventListener("abort", giveUp);
          resolve(true);
        };
        const giveUp = () => {
          waiting.splice(waiting.indexOf(wake), 1);
          resolve(false);
        };
        signal.addEventListener("abort", giveUp, { once: true });
        waiting.push(wake);
      });
    },
    leave() {
      const wake = waiting.shift();
      // Handed over without becoming free, so that nobody who comes now is ahead of those who wait.
      if (wake) wake();
      else taken -= 1;
    },
  };
}
