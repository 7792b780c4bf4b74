import type { Samples } from "../../../sandbox/sample.ts";
import { firm, opening } from "./records.ts";
import { slice } from "../../../sandbox/vary.ts";

const entries = { default: 34, long: 120 };
const pageSize = 25;

/** Sample answers of the RapidAPI product for the professional network, written for this project. */
export const freshLinkedin: Samples = {
  upstream: "fresh-linkedin",
  answers: {
    "GET /api/v1/company/profile": (request) => ({
      success: true,
      message: "success",
      cost: 1,
      data: firm(String(request.query?.company ?? "")),
    }),
    "GET /api/v1/company/jobs": (request) => {
      const total = request.empty ? 0 : request.secondPage ? entries.long : entries.default;
      const page = Number(request.query?.page ?? 1);
      const offset = (page - 1) * pageSize;
      const company = String(request.query?.company_id ?? "");
      const data = slice({ total, offset, count: pageSize }, (index) => opening(company, index));
      return {
        success: true,
        message: "success",
        cost: 1,
        total,
        has_more: offset + data.length < total,
        data,
      };
    },
  },
  faults: {
    not_found: { status: 404, body: { success: false, message: "company not found" } },
    upstream_error: { status: 200, body: { success: false, message: "sample fault" } },
    upstream_unavailable: { status: 503, body: { message: "service unavailable" } },
  },
};
