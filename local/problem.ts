/** Something the person at the terminal can cure; `message` is one clear sentence, shown without a stack. */
export class LocalProblem extends Error {
  override name = "LocalProblem";
}

export const messageOf = (error: unknown): string =>
  error instanceof Error && error.message !== "" ? error.message : String(error);
