import { AccountTurns, type Turn } from "../../runtime/account-turns.ts";

/** Deliveries in flight from a worker to one address and port, however many names it has. */
const perReceiver = 32;

/** Turns of the accounts that deliver to one receiver: no account may flood a stranger's host, nor keep others from it. */
export class ReceiverTurns {
  readonly #byReceiver = new Map<string, AccountTurns>();

  async take(receiver: string, account: string, signal: AbortSignal): Promise<Turn> {
    let turns = this.#byReceiver.get(receiver);
    if (!turns) {
      turns = new AccountTurns({
        name: "webhook deliveries to one receiver",
        slots: perReceiver,
        kept: 1,
      });
      this.#byReceiver.set(receiver, turns);
    }
    try {
      const turn = await turns.take(account, signal);
      return {
        end: () => {
          turn.end();
          this.#forget(receiver, turns);
        },
      };
    } catch (error) {
      this.#forget(receiver, turns);
      throw error;
    }
  }

  #forget(receiver: string, turns: AccountTurns): void {
    const { running, waiting } = turns.counts();
    if (running + waiting === 0) this.#byReceiver.delete(receiver);
  }
}
