import type { Samples } from "./sample.ts";
import { cnblog } from "../areas/cnblog/samples/answers.ts";
import { cnvideo } from "../areas/cnvideo/samples/answers.ts";
import { photosite } from "../areas/photosite/samples/answers.ts";
import { professionalNetwork } from "../areas/professional-network/samples/answers.ts";
import { shortclip } from "../areas/shortclip/samples/answers.ts";
import { threads } from "../areas/threads/samples/answers.ts";

const refused = { code: 404, message: "not found", detail: "not found" };

/** Sample answers of TikHub, written for this project. */
export const tikhub: Samples = {
  upstream: "tikhub",
  answers: {
    ...professionalNetwork,
    ...cnblog,
    ...cnvideo,
    ...photosite,
    ...shortclip,
    ...threads,
  },
  faults: {
    not_found: { status: 404, body: refused },
    upstream_error: { status: 200, body: { code: 500, message: "platform fault", data: null } },
    upstream_unavailable: { status: 503, body: { message: "service unavailable" } },
  },
};
