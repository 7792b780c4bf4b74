import { vi } from "vitest";

/** The files of a worker share its process: each begins with the environment of the first. */
vi.unstubAllEnvs();
