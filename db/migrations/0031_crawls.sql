-- A crawl is a batch whose items are found while it runs.
create table crawls (
  batch_id bigint primary key references batches (id) on delete cascade,
  url text not null,
  -- Crawls of the same site share its limit of requests at once.
  site text not null,
  -- A worker gets these with each item, beside its input.
  rules jsonb not null,
  -- Items of a page and of a file of the site, without the address: operation, pool, input, minimum, most, lasts_ms.
  page jsonb not null,
  file jsonb not null,
  page_limit integer not null,
  -- Most items at once, and the pause between two starts.
  at_once integer not null,
  delay_ms integer not null default 0,
  next_start timestamptz,
  next_url bigint not null default 0,
  next_item integer not null default 1,
  -- Addresses of pages: all, those without an item, those with one, and pages that have a line in the results.
  known integer not null default 0,
  waiting integer not null default 0,
  open integer not null default 0,
  delivered integer not null default 0,
  -- Pages that cost nothing and have no line.
  duplicates integer not null default 0,
  skipped integer not null default 0,
  -- 'balance' or 'max_credits', where credits ended it
  stopped_by text
) with (fillfactor = 50);
create index crawls_site on crawls (site);

create table crawl_urls (
  batch_id bigint not null,
  hash bytea not null,
  number bigint not null,
  url text not null,
  -- 0: page; 1: robots.txt or a sitemap
  kind smallint not null,
  depth integer not null,
  -- Links of the same form that led here, one after another.
  run integer not null,
  waiting boolean not null default true,
  primary key (batch_id, hash)
) with (fillfactor = 80);
create index crawl_urls_waiting on crawl_urls (batch_id, kind, depth, number) where waiting;

-- Hashes of the addresses and contents of delivered pages, with their item.
create table crawl_pages (
  batch_id bigint not null,
  hash bytea not null,
  item integer not null,
  primary key (batch_id, hash)
);

-- Kind, depth and run of a crawl's item.
alter table batch_items add column crawl jsonb;

-- Accounts whose crawls may ignore robots.txt.
create table robots_exemptions (
  account_id bigint primary key references accounts (id)
);
