import { afterAll } from "vitest";

/**
 * Runs before each test file: what the file changes in the environment is taken back at its end, because the
 * files of a process follow one another in it.
 */
const before = { ...process.env };

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
