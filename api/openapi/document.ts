import type { FastifyInstance } from "fastify";
import type { Area } from "../../contract/operation.ts";
import { documentInput } from "../../contract/open.ts";
import { FixedText } from "../fixed-text.ts";
import { decodeInput } from "../input.ts";
import { openApi } from "./openapi.ts";

const path = "/openapi.json";

/** The contract as OpenAPI, whole or of one area. */
export function addDocument(app: FastifyInstance, areas: readonly Area[]): void {
  const texts = new Map<string, FixedText>();

  function textOf(name: string | undefined): FixedText {
    const key = name ?? "";
    let text = texts.get(key);
    if (!text) {
      const chosen = name === undefined ? areas : areas.filter((area) => area.name === name);
      text = new FixedText(JSON.stringify(openApi(chosen)), "application/json; charset=utf-8");
      texts.set(key, text);
    }
    return text;
  }

  // Takes a second, which no caller should wait for.
  textOf(undefined);
  const input = documentInput(areas.map(({ name }) => name));

  app.get(path, { config: { open: true } }, (request, reply) => {
    const query = request.query as URLSearchParams;
    const { area } = decodeInput(
      { method: "GET", path, input },
      { path: {}, query, body: undefined },
    );
    return textOf(area).send(request, reply);
  });
}
