import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { vary } from "../../../sandbox/vary.ts";
import { memberAnswers } from "./congress-members.ts";
import { billRow, day, paged } from "./congress-rows.ts";

const list = (request: SampleRequest) => {
  const { congress = "119", type = "s" } = request.parts;
  return paged(request, "bills", (index) =>
    billRow(Number(congress), type.toUpperCase(), String(4000 - index), index),
  );
};

const member = (index: number) => {
  const v = vary("member", index);
  const last = v.pick("last", words);
  return {
    bioguideId: `S${v.digits("id", 6)}`,
    district: v.int("district", 1, 40),
    firstName: "Sam",
    fullName: `Rep. ${last}, Sam [D-CA-${index + 1}]`,
    lastName: last,
    middleName: "E.",
    party: "D",
    state: "CA",
    url: "https://api.congress.gov/v3/member/S000001?format=json",
  };
};

const counted = (count: number) => ({ count, url: "https://api.congress.gov/v3/bill" });

function bill({ parts }: SampleRequest) {
  const { congress = "", type = "", number = "" } = parts;
  const v = vary("whole bill", congress, type, number);
  return {
    bill: {
      ...billRow(Number(congress), type.toUpperCase(), number, 0),
      actions: counted(v.int("actions", 1, 40)),
      amendments: counted(v.int("amendments", 0, 9)),
      calendarNumbers: [],
      cboCostEstimates: [
        {
          description: "As ordered reported by a committee",
          pubDate: "2026-02-14T17:27:00Z",
          title: "Sample Act of 2026",
          url: "https://www.cbo.gov/publication/00001",
        },
      ],
      committeeReports: [
        {
          citation: "H. Rept. 119-1",
          url: "https://api.congress.gov/v3/committee-report/119/HRPT/1?format=json",
        },
      ],
      committees: counted(2),
      constitutionalAuthorityStatementText: "<pre>\nArticle I, Section 8\n</pre>",
      cosponsors: { ...counted(v.int("cosponsors", 1, 30)), countIncludingWithdrawnCosponsors: 31 },
      introducedDate: "2026-01-11",
      laws: [{ number: "119-108", type: "Public Law" }],
      policyArea: { name: "Government Operations and Politics" },
      relatedBills: counted(v.int("related", 1, 9)),
      sponsors: [{ ...member(0), isByRequest: "N" }],
      subjects: counted(17),
      summaries: counted(v.int("summaries", 1, 9)),
      textVersions: counted(v.int("versions", 1, 9)),
    },
    request: { contentType: "application/json", format: "json" },
  };
}

const actions = (request: SampleRequest) =>
  paged(request, "actions", (index) => {
    const v = vary("action", request.path, index);
    return {
      actionCode: `H${v.digits("code", 5)}`,
      actionDate: day(index),
      actionTime: "12:17:16",
      committees:
        index % 2 === 0
          ? [
              {
                name: "Sample Affairs Committee",
                systemCode: "ssga00",
                url: "https://api.congress.gov/v3/committee/senate/ssga00?format=json",
              },
            ]
          : null,
      recordedVotes:
        index % 3 === 0
          ? [
              {
                chamber: "Senate",
                congress: 119,
                date: "2026-03-08T22:45:05Z",
                rollNumber: v.int("roll", 1, 400),
                sessionNumber: 2,
                url: "https://www.senate.gov/legislative/LIS/roll_call_votes/sample.xml",
              },
            ]
          : [],
      sourceSystem: { code: 2, name: "House floor actions" },
      text: `Motion of ${v.pick("text", words)} agreed to.`,
      type: "Floor",
    };
  });

const summaries = (request: SampleRequest) =>
  paged(request, "summaries", (index) => ({
    actionDate: day(index),
    actionDesc: index === 0 ? "Introduced in House" : "Passed House",
    text: ` <p><b>Sample Act ${index}</b></p> <p>This bill sets up samples.</p>`,
    updateDate: `${day(index)}T20:56:05Z`,
    versionCode: String(index).padStart(2, "0"),
  }));

const cosponsors = (request: SampleRequest) =>
  paged(request, "cosponsors", (index) => ({
    ...member(index + 1),
    isOriginalCosponsor: index % 2 === 0,
    sponsorshipDate: day(index),
    sponsorshipWithdrawnDate: index % 5 === 4 ? "2026-03-29" : null,
  }));

/** Sample answers of the Library of Congress, written for this project. */
export const congress: Samples = {
  upstream: "congress",
  answers: {
    ...memberAnswers,
    "GET /v3/bill": list,
    "GET /v3/bill/{congress}": list,
    "GET /v3/bill/{congress}/{type}": list,
    "GET /v3/bill/{congress}/{type}/{number}": bill,
    "GET /v3/bill/{congress}/{type}/{number}/actions": actions,
    "GET /v3/bill/{congress}/{type}/{number}/summaries": summaries,
    "GET /v3/bill/{congress}/{type}/{number}/cosponsors": cosponsors,
  },
  faults: {
    not_found: { status: 404, body: { error: "Unknown resource" } },
    upstream_error: { status: 400, body: { error: "Bad request" } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
