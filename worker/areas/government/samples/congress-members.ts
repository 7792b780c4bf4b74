import type { Sample, SampleRequest } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { vary } from "../../../sandbox/vary.ts";
import { billRow, day, paged } from "./congress-rows.ts";

const portrait = (id: string) => ({
  attribution: '<a href="https://www.senate.gov/sample">Courtesy of a sample office</a>',
  imageUrl: `https://www.congress.gov/img/member/${id.toLowerCase()}_200.jpg`,
});

const house = "House of Representatives";

const list = (request: SampleRequest) => {
  const { state = "any", district } = request.parts;
  return paged(request, "members", (index) => {
    const v = vary("member of congress", state, index);
    const id = `S${v.digits("id", 3)}${String(index).padStart(3, "0")}`;
    const isSenator = district === undefined && index % 3 === 2;
    const start = v.int("start", 1975, 2020);
    return {
      bioguideId: id,
      depiction: portrait(id),
      ...(isSenator ? {} : { district: Number(district ?? v.int("district", 0, 52)) }),
      name: `${v.pick("last", words)}, Sam E.`,
      partyName: v.pick("party", ["Democratic", "Republican", "Independent"]),
      state: "Vermont",
      terms: {
        item: [
          {
            chamber: isSenator ? "Senate" : house,
            ...(index % 2 === 0 ? { endYear: start + 6 } : {}),
            startYear: start,
          },
        ],
      },
      updateDate: `${day(index)}T13:42:19Z`,
      url: `https://api.congress.gov/v3/member/${id}?format=json`,
    };
  });
};

const counted = (count: number) => ({ count, url: "https://api.congress.gov/v3/member" });

function member({ parts }: SampleRequest) {
  const id = parts.id ?? "";
  const v = vary("whole member", id);
  const last = v.pick("last", words);
  const term = {
    chamber: house,
    district: v.int("district", 1, 40),
    memberType: "Representative",
    stateCode: "VT",
    stateName: "Vermont",
  };
  return {
    member: {
      addressInformation: {
        city: "Washington",
        district: "DC",
        officeAddress: "100 Sample House Office Building",
        phoneNumber: "(202) 555-0100",
        zipCode: 20_515,
      },
      bioguideId: id,
      birthYear: String(v.int("birth", 1940, 1980)),
      cosponsoredLegislation: counted(v.int("cosponsored", 1, 900)),
      currentMember: false,
      deathYear: "2025",
      depiction: portrait(id),
      directOrderName: `Sam E. ${last}`,
      district: term.district,
      firstName: "Sam",
      honorificName: "Mx.",
      invertedOrderName: `${last}, Sam E.`,
      lastName: last,
      leadership: [{ congress: 118, current: false, type: "Assistant Speaker" }],
      middleName: "E.",
      nickName: "Sammy",
      officialWebsiteUrl: "https://sample.house.gov/",
      partyHistory: [
        { partyAbbreviation: "D", partyName: "Democratic", startYear: 2021 },
        { endYear: 2021, partyAbbreviation: "I", partyName: "Independent", startYear: 2017 },
      ],
      sponsoredLegislation: counted(v.int("sponsored", 1, 90)),
      state: "Vermont",
      suffixName: "Jr.",
      terms: [
        { ...term, congress: 118, endYear: 2025, startYear: 2023 },
        { ...term, congress: 117, endYear: 2023, startYear: 2021 },
      ],
      updateDate: "2026-06-08T18:40:22Z",
    },
    request: { bioguideId: id.toLowerCase(), contentType: "application/json", format: "json" },
  };
}

/** Every fifth row is an amendment, which has other numbers. */
const legislation = (name: string) => (request: SampleRequest) =>
  paged(request, name, (index) => {
    const introducedDate = day(index);
    if (index % 5 === 4) {
      return { amendmentNumber: String(900 + index), congress: 119, introducedDate, type: null };
    }
    const {
      originChamber: _,
      originChamberCode: _code,
      ...row
    } = billRow(119, "HR", `${8000 - index}`, index);
    return { ...row, introducedDate, policyArea: { name: "Commerce" } };
  });

/** The narrower paths first. */
export const memberAnswers: Readonly<Record<string, Sample>> = {
  "GET /v3/member": list,
  "GET /v3/member/congress/{congress}": list,
  "GET /v3/member/congress/{congress}/{state}/{district}": list,
  "GET /v3/member/{id}/sponsored-legislation": legislation("sponsoredLegislation"),
  "GET /v3/member/{id}/cosponsored-legislation": legislation("cosponsoredLegislation"),
  "GET /v3/member/{state}/{district}": list,
  // A state has two letters, a member's id seven characters; the source tells them apart as well.
  "GET /v3/member/{id}": (request) =>
    request.parts.id?.length === 2
      ? list({ ...request, parts: { state: request.parts.id } })
      : member(request),
};
