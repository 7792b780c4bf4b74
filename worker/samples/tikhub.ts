import type { Samples } from "../sandbox.ts";
import { cnblog } from "./cnblog.ts";
import { cnvideo } from "./cnvideo.ts";
import { photosite } from "./photosite.ts";
import { professionalNetwork } from "./professional-network.ts";
import { shortclip } from "./shortclip.ts";
import { threads } from "./threads.ts";

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
