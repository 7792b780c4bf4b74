import { documentInput } from "../../contract/open.ts";
import type { Area } from "../../contract/operation.ts";
import { FixedText } from "../fixed-text.ts";
import { openApi } from "./openapi.ts";

/** The contract as OpenAPI documents, whole or for one area. */
export class Documents {
  /** The input of `/openapi.json`. */
  readonly input: ReturnType<typeof documentInput>;
  readonly #areas: readonly Area[];
  readonly #texts = new Map<string | undefined, FixedText>();

  constructor(areas: readonly Area[]) {
    this.#areas = areas;
    this.input = documentInput(areas.map(({ name }) => name));
    // Rendering the whole document takes a second; do it before the first caller.
    this.of(undefined);
  }

  of(name: string | undefined): FixedText {
    const known = this.#texts.get(name);
    if (known) return known;
    const chosen =
      name === undefined ? this.#areas : this.#areas.filter((area) => area.name === name);
    const text = new FixedText(JSON.stringify(openApi(chosen)), "application/json; charset=utf-8");
    this.#texts.set(name, text);
    return text;
  }
}
