/** Why a call failed, in the operator's words, and what to do. */
interface Fault {
  /** Cause of the call log, or the status of the last attempt. */
  when: RegExp;
  fault: string;
  cause: string;
  remedy: string;
  /** Every further operation of the upstream would fail in the same way. */
  ofUpstream?: boolean;
  /** No request was sent. */
  unsent?: boolean;
}

/** The first that fits decides. */
const faults: readonly Fault[] = [
  {
    when: /^credential_missing/,
    fault: "no_credential",
    cause: "the workers have no credential for it",
    remedy: "Set the variables of its credential for the workers: docs/upstreams.md.",
    ofUpstream: true,
    unsent: true,
  },
  {
    when: /^contact/,
    fault: "contact",
    cause: "it asks for the operator's contact",
    remedy: "Set CONTACT of the workers to your e-mail address.",
    ofUpstream: true,
    unsent: true,
  },
  {
    when: /^(credential refused|account not verified|account blocked|user agent refused)/,
    fault: "wrong_credential",
    cause: "it refuses the credential",
    remedy: "Compare the credential with the provider's page; look whether the account is active.",
    ofUpstream: true,
  },
  {
    when: /^no subscription/,
    fault: "plan",
    cause: "the account's plan lacks this interface",
    remedy: "Subscribe to it at the provider.",
  },
  {
    when: /^(out of (funds|quota)|quota used up|cost limit reached|http_402)/,
    fault: "quota",
    cause: "the account's funds or quota are used up",
    remedy: "Top it up at the provider, or wait for the next period.",
    ofUpstream: true,
  },
  {
    when: /^http_429/,
    fault: "rate_limit",
    cause: "its rate limit is reached",
    remedy: "Verify again later; a plan with a higher rate helps.",
  },
  {
    when: /^(access refused|address not on|http_403|http_401)/,
    fault: "blocked",
    cause: "it refuses the workers' address or agent",
    remedy: "Let the workers call from an address that the provider accepts.",
  },
  {
    when: /^(address|base_url_invalid|e(?!ncoding)[a-z_]+|und_err_\w+|cert_\w+|.*_cert\w*|unable_to_\w+|self_signed\w*|breaker_open|hpe_\w+)$/,
    fault: "unreachable",
    cause: "the workers cannot reach it",
    remedy: "Check the workers' network, name server and proxy, and the provider's status page.",
    ofUpstream: true,
  },
  {
    when: /^timeout/,
    fault: "too_slow",
    cause: "it did not answer before the deadline",
    remedy: "Verify again later, and look at the provider's status page.",
  },
  {
    when: /^http_5/,
    fault: "upstream_down",
    cause: "it answers with a fault of its own",
    remedy: "Look at the provider's status page, and verify again later.",
  },
  {
    when: /^truncated/,
    fault: "half_answer",
    cause: "its answer is no whole JSON: it ended too early",
    remedy: "Verify again; if it stays, the provider has changed or a proxy cuts answers.",
  },
  {
    when: /^shape answer: /,
    fault: "changed",
    cause: "its answer has changed: the mapped record breaks its schema",
    remedy: "Compare the answer with the mapping: `gateway map`.",
  },
  {
    when: /^shape /,
    fault: "changed",
    cause: "its answer has changed: a required member did not come or has another type",
    remedy: "Compare the answer with the mapping: `gateway map`.",
  },
];

/** The fault that the cause of a call log, or the status of its last attempt, stands for. */
export const faultOf = (cause: string, lastStatus: string): Fault | undefined =>
  faults.find(({ when }) => when.test(cause) || when.test(lastStatus));

/** Whether further operations of the same upstream need not be called. */
export const isOfUpstream = (fault: string | undefined): boolean =>
  faults.some((one) => one.fault === fault && one.ofUpstream === true);
