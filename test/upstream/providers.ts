import { dataforseo } from "./dataforseo.ts";
import type { Provider } from "./simulator.ts";
import { ticketmaster } from "./ticketmaster.ts";
import { tikhub } from "./tikhub.ts";

/** Every provider that the simulator replaces. */
export const providers: readonly Provider[] = [dataforseo(), ticketmaster(), tikhub()];
