import { buildIfOld } from "../../client/build.ts";

/** Once before the tests: what they install and import is built from the contract of now. */
export default buildIfOld;
