export interface Edit {
  why: string;
  find: string;
  put: string;
}
export const edits: readonly Edit[];
/** The guarded source; the source itself when it is guarded already. Throws when a text is not found. */
export function guard(source: string, name: string): string;
