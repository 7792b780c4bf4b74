import {
  type CallLogEntry,
  type Stage,
  type UpstreamTry,
  type WorkLog,
  stages,
} from "../../runtime/call-log.ts";
import type { BookEntry } from "../../db/call-logs.ts";
import type { Facts, JobFacts } from "./call-log.ts";

/** The timeline of a call as people read it, on a page and at a terminal. */
export interface Timeline {
  id: string;
  /** One sentence on how the call ended. */
  headline: string;
  /** Whether nothing went wrong. */
  good: boolean;
  facts: [name: string, value: string][];
  /** In order, with their milliseconds. */
  stages: { name: string; ms: number; inside?: true }[];
  tries: UpstreamTry[];
  moreTries: number;
  /** Other requests that got the same answer. */
  others: { id: string; fate: string; at: number; status: number }[];
  moreOthers: number;
  notes: string[];
  /** For links to the board and to the account. */
  pool: string | undefined;
  account: string | undefined;
  /** The call was submitted as a job, which has not ended. */
  isOpenJob: boolean;
}

export function ms(value: number): string {
  if (value < 1) return `${Math.round(value * 10) / 10} ms`;
  return value < 1000 ? `${Math.round(value)} ms` : `${Math.round(value / 100) / 10} s`;
}

export const time = (at: number): string =>
  `${new Date(at).toISOString().replace("T", " ").slice(0, 23)}Z`;

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

const stageNames: Record<Stage, string> = {
  edge: "edge: key, rate, body",
  validate: "validation",
  look_up: "Idempotency-Key look-up",
  limits: "limits and slot",
  reserve: "reserve credits",
  enqueue: "into the queue",
  wait: "wait for the outcome",
  settle: "settle",
  write: "write",
};

/** Titles of the stages of a render, by the worker's own names. */
const renderNames: Record<string, string> = {
  open: "run: a page in the browser",
  navigate: "run: navigate",
  read: "run: read the page",
  check: "run: convert and check",
};

function runOf({ ran, asking, stages: rendered }: WorkLog): Timeline["stages"] {
  const one = (name: string, spent: number) => ({ name, ms: spent, inside: true as const });
  if (rendered) return rendered.map(({ name, ms: spent }) => one(renderNames[name] ?? name, spent));
  const rest = Math.max(0, ran - asking);
  return [one("run: upstreams", asking), one("run: mapping and check", rest)];
}

function stagesOf(story: CallLogEntry | undefined, work: WorkLog | undefined): Timeline["stages"] {
  const inside: Timeline["stages"] = [];
  if (work) {
    inside.push({ name: "queue", ms: work.queued, inside: true }, ...runOf(work));
    const own = story?.fate === "ran" || story?.fate === "carried";
    const wait = own ? story.stages.wait : undefined;
    if (wait !== undefined) {
      const delivery = Math.max(0, wait - work.queued - work.ran);
      inside.push({ name: "outcome to the API", ms: delivery, inside: true });
    }
  }
  const named = stages.flatMap((stage) => {
    const spent = story?.stages[stage];
    if (spent === undefined) return [];
    const one = { name: stageNames[stage], ms: spent };
    return stage === "wait" ? [one, ...inside] : [one];
  });
  return named.length > 0 ? named : inside;
}

const total = (story: CallLogEntry) =>
  Object.values(story.stages).reduce((sum, spent) => sum + spent, 0);

/** "tikhub answered 502, 502, 502". */
function triesText({ tries }: WorkLog): string {
  const names = [...new Set(tries.map(({ upstream }) => upstream))];
  return names
    .map((name) => {
      const statuses = tries.filter((one) => one.upstream === name).map(({ status }) => status);
      return `${name}: ${statuses.join(", ")}`;
    })
    .join("; ");
}

function lostText(attempt: number): string {
  if (attempt < 2) return "";
  return ` ${attempt === 2 ? "The worker that began it was lost" : `${attempt - 1} workers that began it were lost`}; attempt ${attempt} ended it.`;
}

function endedText(story: CallLogEntry): string {
  const spent = ms(total(story));
  const { error, charged, work, status } = story;
  const left = story.left ? " Its caller had left by then." : "";
  const lost = lostText(work?.attempt ?? 0);
  if (!error) {
    const charge = charged
      ? `: ${plural(charged.records, "record")}, ${plural(charged.credits, "credit")}`
      : "";
    if (story.fate === "carried") return `Ended with ${status} after ${spent}${charge}.${lost}`;
    if (status === 0) return `Ended after ${spent}, before an answer was written${charge}.${lost}`;
    return `Answered ${status} after ${spent}${charge}.${left}${lost}`;
  }
  const why: string[] = [];
  if (work && work.tries.length > 0) why.push(triesText(work));
  if (work?.cause) why.push(`cause ${work.cause}`);
  if (error.cause) why.push(`cause ${error.cause}`);
  if (story.ended === "deadline") why.push("no outcome before its deadline");
  if (story.ended === "gone") why.push("the caller left, so the work was stopped");
  if (story.ended === "lost") why.push("its job was lost from the queue");
  if (error.message) why.push(error.message);
  if (error.issues) why.push(error.issues.join(", "));
  const verb = story.fate === "refused" ? "Refused with" : "Failed with";
  const how = `${verb} ${status || "no answer written"} ${error.type} after ${spent}`;
  const nothing = story.fate === "refused" ? "; it had no job and cost nothing" : "";
  return `${how}${nothing}.${why.length > 0 ? ` ${capital(why.join("; "))}.` : ""}${left}${lost}`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function queueText(job: JobFacts): string {
  const since = ms(job.now - job.addedAt);
  switch (job.state) {
    case "waiting":
    case "prioritized":
      return `Waiting in the queue ${job.pool} for ${since}, ${plural(job.ahead ?? 0, "job")} ahead of it${job.paused ? "; the pool is paused" : ""}.`;
    case "delayed":
      return `Waiting in the queue ${job.pool} for a worker of a release that knows its operation.`;
    case "active": {
      const ran = ms(job.now - (job.takenAt ?? job.addedAt));
      const lost = job.attempt > 1 ? `, attempt ${job.attempt} after a lost worker` : "";
      const gone = job.workerAlive ? "" : ", which has not reported lately";
      return `Running for ${ran} on ${job.worker ?? "a worker"}${gone}${lost}.`;
    }
    default:
      return `Its job ended in the queue ${job.pool}${job.dropped ? ` (${job.dropped})` : ""}; no API process has reported the answer yet.`;
  }
}

/** Headline of a call that no API process has reported: it still runs, or its process was killed. */
function unreportedText({ books, job, away }: Facts): string {
  const running = job && !["completed", "failed", "unknown"].includes(job.state);
  if (!books) {
    if (job) return queueText(job);
    return `Unknown while ${away.join(" and ")} cannot be read.`;
  }
  if (books.settlement) {
    const { credits, records, status } = books.settlement;
    return `Settled with ${status}: ${plural(records, "record")}, ${plural(credits, "credit")}; its API process reported nothing more.`;
  }
  if (books.hold.state === "void") {
    const type = books.usage?.errorType ?? "an error";
    return `Ended with ${books.usage?.status ?? ""} ${type}: its hold was released; its API process reported nothing more.`;
  }
  if (running) return queueText(job);
  if (books.now < books.hold.deadline) {
    return job
      ? queueText(job)
      : "Holds credits but has no job in any queue: it is about to be queued, or its API process was lost.";
  }
  return "Past its deadline with its hold still open: the next sweep releases the hold.";
}

function moneyFacts({ hold, settlement, usage, key }: BookEntry): [string, string][] {
  const facts: [string, string][] = [
    ["Hold", `${plural(hold.amount, "credit")}, ${hold.state}, deadline ${time(hold.deadline)}`],
  ];
  if (settlement) {
    const cut = settlement.truncated ? ", cut by the balance" : "";
    facts.push([
      "Settle",
      `${plural(settlement.credits, "credit")} for ${plural(settlement.records, "record")}${cut}, ${time(settlement.at)}`,
    ]);
  } else if (usage) {
    facts.push(["Settle", `none: released, ${usage.errorType ?? usage.status}, ${time(usage.at)}`]);
  }
  if (key) {
    const kept =
      key.state === "gone" ? "not kept (freed by an error, or older than a day)" : key.state;
    const bytes = key.bytes > 0 ? `, ${key.bytes} bytes` : "";
    facts.push([
      "Idempotency-Key",
      `${kept}${bytes}; ${key.length} characters, SHA-256 ${key.digest}…`,
    ]);
  } else facts.push(["Idempotency-Key", "none"]);
  return facts;
}

/** The call log's rows of one call, by their part in it. */
interface Parts {
  own: Facts["logs"][number] | undefined;
  first: Facts["logs"][number] | undefined;
  /** The work of a submitted job, which goes on after its request was answered and decides the headline. */
  carried: Facts["logs"][number] | undefined;
  story: CallLogEntry | undefined;
  work: WorkLog | undefined;
  /** The request got the answer of another call. */
  followed: boolean;
  callId: string;
}

function partsOf({ id, logs, job, refused }: Facts): Parts {
  const own = logs.find((row) => row.requestId === id);
  const first = logs.find(({ story }) => story.fate === "ran");
  const carried = logs.find((row) => row.requestId === id && row.story.fate === "carried");
  const story = carried?.story ?? own?.story ?? first?.story ?? refused;
  // A concurrent retry may have finished the work of a lost API process.
  const work =
    (carried ?? first ?? own)?.story.work ??
    logs.find((row) => row.story.work)?.story.work ??
    job?.work;
  const followed = story?.fate === "replayed" || story?.fate === "joined";
  return { own, first, carried, story, work, followed, callId: own?.callId ?? id };
}

function headlineOf(facts: Facts, parts: Parts): string {
  const { own, first, carried, story, work, followed, callId } = parts;
  const withWork = (of: CallLogEntry): CallLogEntry => (work ? { ...of, work } : of);
  if (story && followed) {
    const how =
      story.fate === "replayed"
        ? `with the stored answer of ${callId} (same Idempotency-Key), at no charge`
        : `together with ${callId}, which was running with the same Idempotency-Key`;
    return story.error
      ? `${endedText(story)} It waited for ${callId}.`
      : `Answered ${story.status || "nothing"} after ${ms(total(story))} ${how}.`;
  }
  if (carried) return `Submitted as a job. ${endedText(withWork(carried.story))}`;
  if (first && first.story.status === 202 && own === first) {
    return `Submitted as a job, accepted with 202 after ${ms(total(first.story))}. ${unreportedText(facts)}`;
  }
  return story ? endedText(withWork(story)) : unreportedText(facts);
}

function listOf(facts: Facts, { story, work }: Parts): Timeline["facts"] {
  const { books, job, refused } = facts;
  const list: Timeline["facts"] = [];
  const add = (name: string, value: string | number | undefined) => {
    if (value !== undefined && value !== "") list.push([name, String(value)]);
  };
  const mode = story?.mode ?? books?.mode;
  add("Operation", story?.operation ?? books?.operation ?? job?.operation);
  add("Came", story ? time(story.at) : books && time(books.hold.since));
  const account = facts.account ?? (story?.account && `account ${story.account}`);
  add("Account", account && `${account}${mode ? `, ${mode}` : ""}`);
  add("Key", story?.key ?? books?.keyId ?? (refused ? "none that is valid" : undefined));
  if (story) {
    const issues = story.error?.issues;
    const reached = story.stages.validate !== undefined || story.fate !== "refused";
    add("Validation", issues ? issues.join(", ") : reached ? "passed" : "not reached");
  } else add("Validation", "passed");
  if (books) list.push(...moneyFacts(books));
  else if (story) {
    add("Idempotency-Key", story.keyed ? "sent" : "none seen");
    add("Hold", "none");
  }
  add("Pool", story?.pool ?? job?.pool);
  if (work) {
    add("Worker", work.worker);
    add("Attempts", work.attempt);
  } else if (job?.worker) {
    add("Worker", `${job.worker}${job.workerAlive ? "" : " (has not reported lately)"}`);
    add("Attempts", job.attempt);
  }
  if (job) add("Job", `${job.state}${job.dropped ? `, ${job.dropped}` : ""}`);
  const turns = work?.turns?.map(({ from, to, reason }) => `${from} to ${to} (${reason})`);
  add("Turned from one upstream to the other", turns?.join(", "));
  add("API process", story?.api);
  add("Trace", story?.trace);
  add("Cause", work?.cause ?? story?.error?.cause);
  return list;
}

/** Builds the timeline from the call log. It holds times and names only. */
export function timelineOf(facts: Facts): Timeline {
  const { id, logs, books, job, refused } = facts;
  const parts = partsOf(facts);
  const { own, first, carried, story, work, followed } = parts;
  const notes = facts.away.map((store) => `${store} could not be read, so its data is missing.`);
  const others = logs.filter((row) => row.requestId !== (own ?? first ?? carried)?.requestId);
  return {
    id,
    headline: headlineOf(facts, parts),
    good: story ? !story.error && story.status !== 0 : !refused && books?.hold.state !== "void",
    facts: listOf(facts, parts),
    stages: stagesOf(story, followed ? undefined : work),
    tries: followed ? [] : (work?.tries ?? []),
    moreTries: followed ? 0 : (work?.more ?? 0),
    others: others.map((row) => ({
      id: row.requestId,
      fate: row.story.fate,
      at: row.story.at,
      status: row.story.status,
    })),
    moreOthers: Math.max(0, facts.logCount - logs.length),
    notes,
    pool: job?.pool,
    account: facts.account,
    isOpenJob: !carried && own === first && first?.story.status === 202,
  };
}
