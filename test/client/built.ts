import { buildIfOld } from "../../client/build.ts";

/**
 * Builds, once before the tests, the client that they install and import, from the current
 * contract.
 */
export default buildIfOld;
