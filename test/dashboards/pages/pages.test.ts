import { afterAll, beforeAll } from "vitest";
import { testAccounts } from "./accounts.ts";
import { testInBrowser } from "./in-browser.ts";
import { testPools } from "./pools.ts";
import { Stage } from "./stage.ts";
import { testUpstreams } from "./upstreams.ts";
import { testWork } from "./work.ts";
import { testWorkers } from "./workers.ts";

/** The pages on one busy gateway, subject by subject; each leaves what the next ones show. */

const stage = new Stage();
beforeAll(() => stage.start());
afterAll(() => stage.stop());

testPools(stage);
testAccounts(stage);
testWork(stage);
testUpstreams(stage);
testWorkers(stage);
testInBrowser(stage);
