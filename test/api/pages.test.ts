import { afterAll, beforeAll } from "vitest";
import { testAddresses } from "./pages/addresses.ts";
import { testInBrowser } from "./pages/in-browser.ts";
import { testPrograms } from "./pages/programs.ts";
import { Stage } from "./pages/stage.ts";

/** The contract's pages, as people and programs read them, every example on them, and the page to try them on. */

const stage = new Stage();
beforeAll(() => stage.start());
afterAll(() => stage.stop());

testAddresses(stage);
testInBrowser(stage);
testPrograms(stage);
