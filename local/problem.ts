/** An error that the person at the terminal can fix; `message` is one clear sentence, shown without a stack. */
export class LocalProblem extends Error {
  override name = "LocalProblem";
}

export const messageOf = (error: unknown): string =>
  error instanceof Error && error.message !== "" ? error.message : String(error);
