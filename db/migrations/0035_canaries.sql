-- Results of `gateway verify --daily`: one for each operation and day (UTC). A good one is no proof of health, so
-- it changes no row of `verifications`.
create table canaries (
  day date not null,
  operation text not null,
  at timestamptz not null,
  -- Lists of texts: the upstreams that it asked, and their routes (upstream, method and path template).
  upstreams jsonb not null,
  routes jsonb not null,
  -- works, works_but, fails or unclear
  verdict text not null,
  -- In a word and in one sentence, without values.
  fault text,
  cause text,
  -- Paths of the members that differed, a list of texts.
  paths jsonb not null,
  -- Milliseconds of the call, and the dollars that it counts in the day's budget.
  ms integer,
  dollars double precision not null,
  primary key (day, operation)
);
