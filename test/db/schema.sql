-- The schema that db/migrations and db/functions make, for readers; no program runs this file.
-- Written by a test. Renew it with: npx vitest run --project system test/db/migrate.test.ts -u

create table account_credentials (
  id bigint not null default nextval('account_credentials_id'::regclass),
  account_id bigint not null,
  names text not null,
  sealed bytea not null,
  per_second double precision,
  price_percent integer not null default 100,
  changed_at timestamp with time zone not null default clock_timestamp(),
  constraint account_credentials_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint account_credentials_account_id_names_key UNIQUE (account_id, names),
  constraint account_credentials_names_check CHECK ((names ~ '^[A-Z0-9_]+(\+[A-Z0-9_]+)*$'::text)),
  constraint account_credentials_per_second_check CHECK ((per_second > (0)::double precision)),
  constraint account_credentials_pkey PRIMARY KEY (id),
  constraint account_credentials_price_percent_check CHECK (((price_percent >= 0) AND (price_percent <= 100)))
);
CREATE TRIGGER credential_noted AFTER INSERT OR DELETE OR UPDATE ON account_credentials FOR EACH ROW EXECUTE FUNCTION note_credential();

create table accounts (
  id bigint not null generated always as identity,
  name text not null,
  disabled boolean not null default false,
  rate_per_second integer not null default 60,
  max_in_flight integer not null default 20,
  created_at timestamp with time zone not null default now(),
  constraint accounts_max_in_flight_check CHECK ((max_in_flight > 0)),
  constraint accounts_name_check CHECK ((name <> ''::text)),
  constraint accounts_name_key UNIQUE (name),
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_rate_per_second_check CHECK ((rate_per_second > 0))
);
CREATE TRIGGER limits_noted AFTER UPDATE OF disabled, rate_per_second, max_in_flight ON accounts FOR EACH ROW WHEN ((((old.disabled IS DISTINCT FROM new.disabled) OR (old.rate_per_second IS DISTINCT FROM new.rate_per_second)) OR (old.max_in_flight IS DISTINCT FROM new.max_in_flight))) EXECUTE FUNCTION note_limits();

create table api_keys (
  id text not null,
  account_id bigint not null,
  mode text not null,
  digest bytea not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  budget_key text,
  constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint api_keys_digest_check CHECK ((length(digest) = 32)),
  constraint api_keys_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint api_keys_pkey PRIMARY KEY (id)
);
CREATE INDEX api_keys_owner ON api_keys USING btree (account_id, mode);

create table balances (
  account_id bigint not null,
  mode text not null,
  balance bigint not null default 0,
  held bigint not null default 0,
  alert_below bigint,
  budgeted boolean not null default false,
  constraint balances_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint balances_alert_below_check CHECK ((alert_below > 0)),
  constraint balances_balance_check CHECK ((balance >= 0)),
  constraint balances_held_check CHECK (((held >= 0) AND (held <= balance))),
  constraint balances_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint balances_pkey PRIMARY KEY (account_id, mode)
) with (fillfactor=50);
CREATE TRIGGER balance_low AFTER UPDATE OF balance ON balances FOR EACH ROW WHEN (((old.balance >= new.alert_below) AND (new.balance < new.alert_below))) EXECUTE FUNCTION tell_low_balance();

create table batch_items (
  batch_id bigint not null,
  number integer not null,
  pool text not null,
  operation text not null,
  custom_id text not null,
  input text not null,
  minimum integer not null,
  most integer not null,
  lasts_ms integer not null,
  attempt integer not null default 0,
  owner text,
  tries integer not null default 0,
  not_before timestamp with time zone,
  crawl jsonb,
  constraint batch_items_pkey PRIMARY KEY (batch_id, number)
) with (fillfactor=80);
CREATE INDEX batch_items_running ON batch_items USING btree (owner) WHERE (owner IS NOT NULL);
CREATE INDEX batch_items_waiting ON batch_items USING btree (batch_id, pool, number) WHERE (owner IS NULL);

create table batch_parts (
  batch_id bigint not null,
  request_id text not null,
  part integer not null,
  bytes bytea not null storage external,
  constraint batch_parts_pkey PRIMARY KEY (batch_id, request_id, part)
);

create table batch_results (
  batch_id bigint not null,
  sequence bigint not null,
  custom_id text not null,
  request_id text not null,
  status integer not null,
  credits bigint not null,
  records integer not null,
  truncated boolean not null,
  available bigint,
  body bytea not null storage external,
  parts integer not null,
  item jsonb,
  constraint batch_results_pkey PRIMARY KEY (batch_id, sequence)
);
CREATE INDEX batch_results_failed ON batch_results USING btree (batch_id) WHERE (item IS NOT NULL);

create table batches (
  id bigint not null generated always as identity,
  public_id text not null,
  account_id bigint not null,
  mode text not null,
  key_id text not null,
  version text not null,
  scenario text,
  idempotency_key text,
  fingerprint text,
  answer text,
  owner text not null,
  state text not null default 'receiving'::text,
  pools text[] not null default '{}'::text[],
  max_credits bigint,
  total integer not null default 0,
  queued integer not null default 0,
  running integer not null default 0,
  succeeded integer not null default 0,
  failed integer not null default 0,
  cancelled integer not null default 0,
  held bigint not null default 0,
  charged bigint not null default 0,
  sequence bigint not null default 0,
  kept bigint not null default 0,
  created_at timestamp with time zone not null default clock_timestamp(),
  began_at timestamp with time zone,
  began_with integer not null default 0,
  ended_at timestamp with time zone,
  fields text,
  retries text[] not null default '{}'::text[],
  error_type text,
  error_message text,
  constraint batches_counts CHECK (((queued >= 0) AND (running >= 0))),
  constraint batches_credits CHECK (((held >= 0) AND ((charged + held) <= COALESCE(max_credits, (charged + held))))),
  constraint batches_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint batches_pkey PRIMARY KEY (id),
  constraint batches_public_id_key UNIQUE (public_id),
  constraint batches_state_check CHECK ((state = ANY (ARRAY['receiving'::text, 'running'::text, 'cancelling'::text, 'cancelled'::text, 'ended'::text])))
) with (fillfactor=50);
CREATE INDEX batches_ended ON batches USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX batches_listed ON batches USING btree (account_id, mode, id);
CREATE INDEX batches_open ON batches USING btree (id) WHERE (state = ANY (ARRAY['running'::text, 'cancelling'::text]));
CREATE INDEX batches_receiving ON batches USING btree (id) WHERE (state = 'receiving'::text);
CREATE UNIQUE INDEX batches_key ON batches USING btree (account_id, mode, idempotency_key) WHERE (idempotency_key IS NOT NULL);

create table bodies (
  request_id text not null,
  body bytea not null storage external,
  created_at timestamp with time zone not null default now(),
  account_id bigint,
  mode text,
  constraint bodies_pkey PRIMARY KEY (request_id)
);
CREATE INDEX bodies_age ON bodies USING btree (created_at);
CREATE TRIGGER kept_body AFTER INSERT OR DELETE OR UPDATE ON bodies FOR EACH ROW EXECUTE FUNCTION note_kept_body();

create table budget_changes (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default clock_timestamp(),
  who text not null,
  account_id bigint not null,
  mode text not null,
  key_id text not null,
  period text not null,
  credits bigint,
  alert_percent integer,
  constraint budget_changes_pkey PRIMARY KEY (id)
);
CREATE INDEX budget_changes_account ON budget_changes USING btree (account_id, id);
CREATE TRIGGER budget_changes_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON budget_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table budgets (
  account_id bigint not null,
  mode text not null,
  key_id text not null default ''::text,
  period text not null,
  credits bigint not null,
  alert_percent integer not null default 80,
  began timestamp with time zone not null,
  charged bigint not null default 0,
  held bigint not null default 0,
  told timestamp with time zone,
  constraint budgets_account_id_mode_fkey FOREIGN KEY (account_id, mode) REFERENCES balances(account_id, mode),
  constraint budgets_alert_percent_check CHECK (((alert_percent >= 1) AND (alert_percent <= 100))),
  constraint budgets_charged_check CHECK ((charged >= 0)),
  constraint budgets_credits_check CHECK ((credits >= 0)),
  constraint budgets_held_check CHECK ((held >= 0)),
  constraint budgets_period_check CHECK ((period = ANY (ARRAY['day'::text, 'week'::text, 'month'::text]))),
  constraint budgets_pkey PRIMARY KEY (account_id, mode, key_id, period)
) with (fillfactor=50);

create table canaries (
  day date not null,
  operation text not null,
  at timestamp with time zone not null,
  upstreams jsonb not null,
  routes jsonb not null,
  verdict text not null,
  fault text,
  cause text,
  paths jsonb not null,
  ms integer,
  dollars double precision not null,
  call_id text,
  constraint canaries_pkey PRIMARY KEY (day, operation)
);

create table capacity_history (
  at timestamp with time zone not null,
  pool text not null,
  workers integer not null,
  desired integer not null,
  slots integer not null,
  calls_per_second double precision not null,
  p95_wait_ms double precision,
  target_ms integer not null,
  wall text not null,
  failed integer,
  failed_live integer,
  constraint capacity_history_pkey PRIMARY KEY (pool, at)
);
CREATE INDEX capacity_history_at ON capacity_history USING brin (at);

create table changes (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default clock_timestamp(),
  who text not null,
  via text not null,
  why text not null,
  kind text not null,
  target text not null,
  account_id bigint,
  before jsonb,
  after jsonb,
  constraint changes_pkey PRIMARY KEY (id),
  constraint changes_target_check CHECK ((target <> ''::text)),
  constraint changes_who_check CHECK ((who <> ''::text))
);
CREATE INDEX changes_account ON changes USING btree (account_id, id) WHERE (account_id IS NOT NULL);
CREATE INDEX changes_kind ON changes USING btree (kind, id);
CREATE TRIGGER changes_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table controls (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default clock_timestamp(),
  who text not null,
  why text not null,
  kind text not null,
  target text not null,
  effect text not null,
  per_minute integer,
  until timestamp with time zone,
  constraint controls_check CHECK (((kind = 'job'::text) OR (effect = 'none'::text) OR ((kind = 'pool'::text) AND (effect = ANY (ARRAY['pause'::text, 'drain'::text]))) OR ((kind = 'worker'::text) AND (effect = 'pause'::text)) OR ((kind <> ALL (ARRAY['pool'::text, 'worker'::text])) AND ((effect = 'off'::text) OR ((effect = 'cap'::text) AND (per_minute IS NOT NULL)))))),
  constraint controls_kind_check CHECK ((kind = ANY (ARRAY['pool'::text, 'upstream'::text, 'operation'::text, 'account'::text, 'key'::text, 'job'::text, 'worker'::text]))),
  constraint controls_per_minute_check CHECK ((per_minute > 0)),
  constraint controls_pkey PRIMARY KEY (id),
  constraint controls_target_check CHECK ((target <> ''::text)),
  constraint controls_who_check CHECK ((who <> ''::text)),
  constraint controls_why_check CHECK ((why <> ''::text))
);
CREATE INDEX controls_latest ON controls USING btree (kind, target, id DESC);
CREATE TRIGGER control_noted AFTER INSERT ON controls FOR EACH ROW EXECUTE FUNCTION note_control();
CREATE TRIGGER controls_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON controls FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table crawl_pages (
  batch_id bigint not null,
  hash bytea not null,
  item integer not null,
  constraint crawl_pages_pkey PRIMARY KEY (batch_id, hash)
);

create table crawl_urls (
  batch_id bigint not null,
  hash bytea not null,
  number bigint not null,
  url text not null,
  kind smallint not null,
  depth integer not null,
  run integer not null,
  waiting boolean not null default true,
  constraint crawl_urls_pkey PRIMARY KEY (batch_id, hash)
) with (fillfactor=80);
CREATE INDEX crawl_urls_waiting ON crawl_urls USING btree (batch_id, kind, depth, number) WHERE waiting;

create table crawls (
  batch_id bigint not null,
  url text not null,
  site text not null,
  rules jsonb not null,
  page jsonb not null,
  file jsonb not null,
  page_limit integer not null,
  at_once integer not null,
  delay_ms integer not null default 0,
  next_start timestamp with time zone,
  next_url bigint not null default 0,
  next_item integer not null default 1,
  known integer not null default 0,
  waiting integer not null default 0,
  open integer not null default 0,
  delivered integer not null default 0,
  duplicates integer not null default 0,
  skipped integer not null default 0,
  stopped_by text,
  constraint crawls_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batches(id) ON DELETE CASCADE,
  constraint crawls_pkey PRIMARY KEY (batch_id)
) with (fillfactor=50);
CREATE INDEX crawls_site ON crawls USING btree (site);

create table holds (
  id text not null,
  account_id bigint not null,
  mode text not null,
  key_id text,
  operation text not null,
  amount bigint not null,
  state text not null default 'open'::text,
  deadline timestamp with time zone not null,
  idempotency_key text,
  created_at timestamp with time zone not null default now(),
  budgeted boolean not null default false,
  constraint holds_amount_check CHECK ((amount > 0)),
  constraint holds_pkey PRIMARY KEY (id),
  constraint holds_state_check CHECK ((state = ANY (ARRAY['open'::text, 'settled'::text, 'void'::text])))
);
CREATE INDEX holds_open ON holds USING btree (deadline) WHERE (state = 'open'::text);
CREATE TRIGGER hold_closed AFTER UPDATE OF state ON holds FOR EACH ROW WHEN (((old.state = 'open'::text) AND (new.state <> 'open'::text) AND new.budgeted)) EXECUTE FUNCTION close_in_budgets();

create table job_owners (
  id text not null,
  until timestamp with time zone not null,
  constraint job_owners_pkey PRIMARY KEY (id)
);

create table jobs (
  request_id text not null,
  account_id bigint not null,
  mode text not null,
  key_id text not null,
  operation text not null,
  version text not null,
  idempotency_key text not null,
  call text,
  batch_id text,
  item integer,
  state text not null default 'queued'::text,
  created_at timestamp with time zone not null default clock_timestamp(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  status integer,
  retry_after integer,
  error_type text,
  error_message text,
  error text,
  owner text,
  fields text,
  confirmed boolean not null default false,
  constraint jobs_pkey PRIMARY KEY (request_id),
  constraint jobs_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
);
CREATE INDEX jobs_age ON jobs USING btree (created_at);
CREATE INDEX jobs_by_account ON jobs USING btree (account_id, mode, created_at, request_id);
CREATE INDEX jobs_owned ON jobs USING btree (owner) WHERE (owner IS NOT NULL);

create table kept_bytes (
  account_id bigint not null,
  mode text not null,
  bytes bigint not null,
  constraint kept_bytes_pkey PRIMARY KEY (account_id, mode)
);

create table kept_changes (
  id bigint not null generated always as identity,
  account_id bigint not null,
  mode text not null,
  bytes bigint not null,
  constraint kept_changes_pkey PRIMARY KEY (id)
);
CREATE INDEX kept_changes_account ON kept_changes USING btree (account_id, mode);

create table ledger (
  transaction_id text not null,
  side text not null,
  account_id bigint not null,
  mode text not null,
  amount bigint not null,
  reason text not null,
  at timestamp with time zone not null default now(),
  constraint ledger_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint ledger_pkey PRIMARY KEY (transaction_id, side),
  constraint ledger_side_check CHECK ((side = ANY (ARRAY['account'::text, 'revenue'::text, 'grants'::text])))
);
CREATE INDEX ledger_account ON ledger USING btree (account_id, mode) WHERE (side = 'account'::text);
CREATE TRIGGER ledger_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table own_writes (
  account_id bigint not null,
  mode text not null,
  key text not null,
  fingerprint text not null,
  request_id text not null,
  subject text not null,
  secret bytea,
  answered boolean not null default false,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint own_writes_pkey PRIMARY KEY (account_id, mode, key)
);
CREATE INDEX own_writes_age ON own_writes USING btree (created_at);

create table replays (
  account_id bigint not null,
  mode text not null,
  key text not null,
  fingerprint text not null,
  request_id text not null,
  state text not null default 'running'::text,
  content_type text,
  body bytea storage external,
  body_apart boolean not null default false,
  created_at timestamp with time zone not null default now(),
  joined boolean not null default false,
  constraint replays_pkey PRIMARY KEY (account_id, mode, key),
  constraint replays_state_check CHECK ((state = ANY (ARRAY['running'::text, 'final'::text])))
);
CREATE INDEX replays_age ON replays USING btree (created_at);
CREATE TRIGGER dropped_replay AFTER DELETE ON replays FOR EACH ROW WHEN ((old.body IS NOT NULL)) EXECUTE FUNCTION note_kept_replay();
CREATE TRIGGER kept_replay AFTER UPDATE OF body ON replays FOR EACH ROW WHEN (((new.body IS NULL) IS DISTINCT FROM (old.body IS NULL))) EXECUTE FUNCTION note_kept_replay();

create table robots_exemptions (
  account_id bigint not null,
  constraint robots_exemptions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint robots_exemptions_pkey PRIMARY KEY (account_id)
);

create table schema_versions (
  name text not null,
  sha256 text not null,
  compatible_from integer not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_versions_pkey PRIMARY KEY (name)
);

create table settlements (
  hold_id text not null,
  credits bigint not null,
  records integer not null,
  truncated boolean not null,
  available bigint not null,
  status integer not null,
  at timestamp with time zone not null default now(),
  constraint settlements_available_check CHECK ((available >= 0)),
  constraint settlements_credits_check CHECK ((credits >= 0)),
  constraint settlements_pkey PRIMARY KEY (hold_id),
  constraint settlements_records_check CHECK ((records >= 0))
);

create table stories (
  id bigint not null generated always as identity,
  request_id text not null,
  call_id text not null,
  account_id bigint not null,
  at timestamp with time zone not null,
  story jsonb not null,
  constraint stories_pkey PRIMARY KEY (id)
);
CREATE INDEX stories_call ON stories USING btree (call_id);
CREATE INDEX stories_request ON stories USING btree (request_id) WHERE (request_id <> call_id);

create table upstream_days (
  day date not null,
  upstream text not null,
  operation text not null,
  calls bigint not null,
  dollars numeric not null,
  constraint upstream_days_pkey PRIMARY KEY (day, upstream, operation)
);

create table upstream_totals (
  upstream text not null,
  operation text not null,
  told_at timestamp with time zone not null,
  calls bigint not null,
  dollars numeric not null,
  constraint upstream_totals_pkey PRIMARY KEY (upstream, operation)
);

create table usage (
  request_id text not null,
  account_id bigint not null,
  mode text not null,
  key_id text,
  operation text not null,
  status integer not null,
  error_type text,
  credits bigint not null,
  records integer not null,
  duration_ms integer not null,
  at timestamp with time zone not null default now(),
  constraint usage_pkey PRIMARY KEY (request_id)
);
CREATE INDEX usage_account ON usage USING btree (account_id, mode, at);
CREATE INDEX usage_at ON usage USING brin (at);
CREATE TRIGGER usage_summed AFTER INSERT ON usage REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION sum_usage();

create table usage_days (
  account_id bigint not null,
  mode text not null,
  day date not null,
  operation text not null,
  calls bigint not null,
  errors bigint not null,
  credits bigint not null,
  records bigint not null,
  constraint usage_days_pkey PRIMARY KEY (account_id, mode, day, operation)
) with (fillfactor=50);

create table usage_sums (
  one boolean not null default true,
  whole_from date not null,
  constraint usage_sums_one_check CHECK (one),
  constraint usage_sums_pkey PRIMARY KEY (one)
);

create table verifications (
  operation text not null,
  at timestamp with time zone not null,
  verdict text not null,
  cause text,
  worked_at timestamp with time zone,
  constraint verifications_pkey PRIMARY KEY (operation)
);

create table webhook_addresses (
  subject text not null,
  account_id bigint not null,
  mode text not null,
  url text not null,
  created_at timestamp with time zone not null default now(),
  constraint webhook_addresses_pkey PRIMARY KEY (subject)
);
CREATE INDEX webhook_addresses_age ON webhook_addresses USING btree (created_at);

create table webhook_deliveries (
  id text not null,
  event_id text not null,
  endpoint_id text not null,
  account_id bigint not null,
  mode text not null,
  url text,
  lane text not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  due_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  leased_until timestamp with time zone,
  answers jsonb not null default '[]'::jsonb,
  created_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  constraint webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE,
  constraint webhook_deliveries_event_id_endpoint_id_key UNIQUE (event_id, endpoint_id),
  constraint webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES webhook_events(id) ON DELETE CASCADE,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'delivered'::text, 'failed'::text])))
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries USING btree (lane, due_at) WHERE (state = 'pending'::text);
CREATE INDEX webhook_deliveries_log ON webhook_deliveries USING btree (endpoint_id, created_at, id);
CREATE INDEX webhook_deliveries_open ON webhook_deliveries USING btree (account_id, mode) WHERE (state = ANY (ARRAY['pending'::text, 'sending'::text]));
CREATE INDEX webhook_deliveries_sending ON webhook_deliveries USING btree (lane) WHERE (state = 'sending'::text);

create table webhook_endpoints (
  id text not null,
  account_id bigint not null,
  mode text not null,
  url text,
  description text not null default ''::text,
  events text[] not null default '{}'::text[],
  secret bytea not null,
  former_secret bytea,
  former_until timestamp with time zone,
  dropped bigint not null default 0,
  failing_since timestamp with time zone,
  off_since timestamp with time zone,
  off_reason text,
  created_at timestamp with time zone not null default now(),
  constraint webhook_endpoints_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint webhook_endpoints_check CHECK (((off_since IS NULL) = (off_reason IS NULL))),
  constraint webhook_endpoints_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint webhook_endpoints_off_reason_check CHECK ((off_reason = ANY (ARRAY['owner'::text, 'failing'::text, 'gone'::text]))),
  constraint webhook_endpoints_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX webhook_endpoints_url ON webhook_endpoints USING btree (account_id, mode, COALESCE(url, ''::text));

create table webhook_events (
  id text not null,
  account_id bigint not null,
  mode text not null,
  type text not null,
  body text not null,
  created_at timestamp with time zone not null default now(),
  constraint webhook_events_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_events_age ON webhook_events USING btree (created_at);

create function add_credits(for_account bigint, in_mode text, credits bigint, reason text, grant_id text DEFAULT NULL::text) returns bigint language plpgsql;
create function add_up_kept(at_most integer, owner bigint DEFAULT NULL::bigint, owner_mode text DEFAULT NULL::text) returns integer language plpgsql;
create function add_webhook_endpoint(new_id text, for_account bigint, in_mode text, address text, about text, kinds text[], new_secret bytea, most integer, not_after double precision DEFAULT NULL::double precision) returns text language plpgsql;
create function adopt_batch_items(new_owner text, at_most integer, with_crawls boolean DEFAULT false) returns TABLE(batch_id bigint, kind text, number integer, request_id text, operation text, input text, attempt integer, tries integer, amount bigint, deadline double precision, available bigint, crawl text) language sql;
create function adopt_jobs(new_owner text, at_most integer) returns SETOF jobs language sql;
create function batch_end(public_id text, sequence bigint, state text) returns text language sql immutable;
create function batch_event(account_id bigint, mode text, type text, subject text, batch text, data jsonb) returns jsonb language sql stable;
create function begin_batch(id_told text, for_account bigint, in_mode text, for_key text, in_version text, with_scenario text, named text, by_owner text, grace interval, kept_for interval, not_after double precision) returns TABLE(id bigint, public_id text, answer text, fingerprint text, late boolean) language plpgsql;
create function budget_began(period text, moment timestamp with time zone) returns timestamp with time zone language sql stable;
create function budget_key_of(for_key text) returns text language sql stable;
create function budget_renews(period text, began timestamp with time zone) returns timestamp with time zone language sql stable;
create function budget_room(for_account bigint, in_mode text, for_key text, moment timestamp with time zone) returns bigint language sql stable;
create function cancel_batch(id_told text, owner_account bigint, owner_mode text, because text DEFAULT NULL::text, reason text DEFAULT NULL::text) returns bigint language plpgsql;
create function cancel_jobs(ids text[], owner_account bigint, owner_mode text, because text DEFAULT NULL::text, reason text DEFAULT NULL::text) returns TABLE(request_id text, operation text, cancelled boolean, state text) language plpgsql set enable_seqscan=off set plan_cache_mode=force_generic_plan;
create function change_webhook_endpoint(old_id text, for_account bigint, in_mode text, change jsonb) returns text language plpgsql;
create function claim_write(write jsonb) returns jsonb language plpgsql;
create function close_in_budgets() returns trigger language plpgsql;
create function crawl_hash(value text) returns bytea language sql immutable;
create function crawl_outcomes(ends jsonb, known jsonb) returns jsonb language plpgsql set enable_seqscan=off;
create function crawl_pause(crawl crawls) returns integer language plpgsql stable;
create function crawl_room(crawl crawls, moment timestamp with time zone) returns integer language plpgsql;
create function create_account(account_name text, test_credits bigint) returns bigint language plpgsql;
create function create_api_key(new_id text, for_account bigint, in_mode text, new_digest bytea) returns text language plpgsql;
create function create_batch(id_told text, for_account bigint, in_mode text, for_key text, in_version text, with_scenario text, named text, by_owner text, grace interval, kept_for interval) returns TABLE(id bigint, public_id text, answer text, fingerprint text) language plpgsql;
create function discard_batch(id_told text, for_account bigint, in_mode text, not_after double precision, accepted_too boolean DEFAULT false) returns text language plpgsql;
create function effect_of(decision controls) returns jsonb language sql stable;
create function emit_webhooks(events jsonb, most_pending integer DEFAULT 10000) returns integer language plpgsql;
create function end_and_tell_jobs(ends jsonb) returns TABLE(state text) language plpgsql set enable_seqscan=off set plan_cache_mode=force_generic_plan;
create function end_batch_items(ends jsonb, grace interval) returns TABLE(kind text, credits bigint, sequence bigint, batch_ended boolean) language plpgsql set enable_seqscan=off set plan_cache_mode=force_generic_plan;
create function end_control(of_id bigint, by_whom text, reason text) returns boolean language plpgsql;
create function end_webhooks(endpoints text[]) returns void language sql;
create function exempt_from_robots(for_account bigint, exempt boolean) returns boolean language plpgsql;
create function grow_crawls(ends jsonb, known jsonb, paid jsonb) returns void language plpgsql set enable_seqscan=off;
create function hand_in_jobs(calls jsonb, grace interval, kept_for interval) returns TABLE(kind text, amount bigint, available bigint, created double precision) language plpgsql set enable_seqscan=off set plan_cache_mode=force_generic_plan;
create function hold_in_budgets(for_account bigint, in_mode text, for_key text, amount bigint, moment timestamp with time zone) returns void language sql;
create function is_revoked(key text) returns boolean language plpgsql stable;
create function item_request_id(public_id text, number integer, attempt integer) returns text language sql stable;
create function join_calls(calls jsonb) returns TABLE(joined boolean) language plpgsql set enable_seqscan=off set plan_cache_mode=force_generic_plan;
create function lock_balances_of(ids text[]) returns void language plpgsql set enable_seqscan=off set plan_cache_mode=force_generic_plan;
create function look_up_keys(scopes jsonb, grace interval, kept_for interval) returns TABLE(request_id text, fingerprint text, state text, content_type text, body bytea, body_apart boolean, operation text, amount bigint, deadline double precision, status integer, credits bigint, records integer, truncated boolean, available bigint, kept bigint) language plpgsql stable set enable_seqscan=off set plan_cache_mode=force_generic_plan;
create function note_change(of_kind text, of_target text, of_account bigint, was jsonb, is_now jsonb, reason text) returns void language plpgsql;
create function note_control() returns trigger language plpgsql;
create function note_credential() returns trigger language plpgsql;
create function note_kept_body() returns trigger language plpgsql;
create function note_kept_replay() returns trigger language plpgsql;
create function note_limits() returns trigger language plpgsql;
create function note_upstream_totals(told jsonb, at timestamp with time zone) returns void language plpgsql;
create function promote_urls(for_batch bigint) returns integer language plpgsql set enable_seqscan=off;
create function prune_stories(kept interval, most bigint, at_most integer) returns integer language plpgsql;
create function record_webhooks(heard jsonb) returns TABLE(endpoint text) language plpgsql;
create function refuse_change() returns trigger language plpgsql;
create function release_calls(calls jsonb) returns TABLE(released boolean) language plpgsql set enable_seqscan=off set plan_cache_mode=force_generic_plan;
create function reserve_calls(calls jsonb, grace interval, kept_for interval) returns TABLE(kind text, amount bigint, available bigint) language plpgsql set enable_seqscan=off set plan_cache_mode=force_generic_plan;
create function resume_crawl(id_told text, owner_account bigint, owner_mode text, by_key text, resume_id text, not_after double precision, new_limit integer, new_most bigint) returns bigint language plpgsql set enable_seqscan=off;
create function retry_batch(id_told text, owner_account bigint, owner_mode text, by_key text DEFAULT NULL::text, retry_id text DEFAULT NULL::text, not_after double precision DEFAULT NULL::double precision) returns bigint language plpgsql set enable_seqscan=off;
create function revoke_api_key(revoked text) returns boolean language plpgsql;
create function rotate_api_key(old_id text, new_id text, new_digest bytea, overlap interval) returns text language plpgsql;
create function set_budget(for_account bigint, in_mode text, for_key text, in_period text, limit_credits bigint, alert integer, by_whom text) returns boolean language plpgsql;
create function settle_calls(calls jsonb, grace interval) returns TABLE(kind text, credits bigint, records integer, truncated boolean, available bigint) language plpgsql set enable_seqscan=off set plan_cache_mode=force_generic_plan;
create function settle_jobs(calls jsonb, grace interval) returns TABLE(kind text, credits bigint, records integer, truncated boolean, available bigint, state text) language plpgsql;
create function start_batch_items(for_batch bigint, in_pool text, at_most integer, new_owner text, grace interval, behind integer DEFAULT '-1'::integer, with_crawls boolean DEFAULT false) returns TABLE(kind text, number integer, request_id text, operation text, input text, attempt integer, tries integer, amount bigint, deadline double precision, available bigint, crawl text) language plpgsql set enable_seqscan=off set plan_cache_mode=force_generic_plan;
create function stop_crawl(for_batch bigint) returns void language plpgsql set enable_seqscan=off;
create function store_body(id text, stored bytea) returns void language plpgsql;
create function sum_earlier_usage() returns boolean language plpgsql set enable_seqscan=off;
create function sum_usage() returns trigger language plpgsql;
create function take_back_jobs(calls jsonb) returns TABLE(fate text) language plpgsql set enable_seqscan=off set plan_cache_mode=force_generic_plan;
create function take_webhooks(per_lane integer, at_most integer, lease interval) returns TABLE(delivery text, attempt integer, event text, url text, body text, secret bytea, former_secret bytea) language plpgsql;
create function tell_jobs(ids text[]) returns void language plpgsql set enable_seqscan=off set plan_cache_mode=force_generic_plan;
create function tell_low_balance() returns trigger language plpgsql;
create function tell_stories(told jsonb) returns void language plpgsql;
create function utc_text(moment timestamp with time zone) returns text language sql stable;
create function void_expired(grace interval, at_most integer) returns integer language plpgsql;
