-- The last result of `gateway verify` for each operation of this installation.
create table verifications (
  operation text primary key,
  at timestamptz not null,
  -- works, works_but, fails or unclear
  verdict text not null,
  -- One sentence on what was found; it holds no values.
  cause text,
  -- The last time that the operation worked.
  worked_at timestamptz
);
