import { documentInput } from "../../contract/open.ts";
import type { Area } from "../../contract/operation.ts";
import { FixedText } from "../fixed-text.ts";
import { openApiYielding } from "./openapi.ts";

/** The contract as OpenAPI documents, whole or for one area. */
export class Documents {
  /** The input of `/openapi.json`. */
  readonly input: ReturnType<typeof documentInput>;
  readonly #areas: readonly Area[];
  readonly #stored: () => Promise<string | undefined>;
  readonly #texts = new Map<string | undefined, Promise<FixedText>>();

  /** `stored` finds the whole document where it was written before. */
  constructor(areas: readonly Area[], stored: () => Promise<string | undefined> = async () => {}) {
    this.#areas = areas;
    this.#stored = stored;
    this.input = documentInput(areas.map(({ name }) => name));
  }

  /** Made on first request: most processes are never asked, and the whole document costs as much as a start. */
  of(name: string | undefined): Promise<FixedText> {
    const known = this.#texts.get(name);
    if (known) return known;
    const text = this.#make(name);
    this.#texts.set(name, text);
    return text;
  }

  async #make(name: string | undefined): Promise<FixedText> {
    const type = "application/json; charset=utf-8";
    const stored = name === undefined ? await this.#stored() : undefined;
    if (stored !== undefined) return new FixedText(stored, type);
    const chosen =
      name === undefined ? this.#areas : this.#areas.filter((area) => area.name === name);
    const document = await openApiYielding(chosen);
    return new FixedText(JSON.stringify(document), type);
  }
}
