-- Crawls: batches whose items are found while they run. Every caller holds the lock of the batch's row.

create or replace function crawl_hash(value text) returns bytea
language sql immutable as $$
  select substr(sha256(convert_to(value, 'UTF8')), 1, 16)
$$;

-- The outcomes by position, with `drop` for a page that gives no line: not to be delivered, or delivered before
-- under another address, or with the same content.
create or replace function crawl_outcomes(ends jsonb, known jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  page record;
  hashes bytea[];
  is_known boolean;
begin
  for page in
    select e.batch_id, e.number, e.found, e.position
    from rows from (jsonb_to_recordset(ends) as (batch_id bigint, number integer, found jsonb))
      with ordinality as e (batch_id, number, found, position)
    where e.found is not null and known ->> e.position::text = 'settle'
    order by e.position
  loop
    is_known := false;
    if not page.found ? 'drop' then
      hashes := array(select crawl_hash(k) from jsonb_array_elements_text(page.found -> 'keys') k);
      -- An item whose end the database refused before has left its own hashes.
      is_known := exists (select 1 from crawl_pages p
        where p.batch_id = page.batch_id and p.hash = any (hashes) and p.item <> page.number);
      -- A dropped page leaves its other names, too: they are names of the page that it repeats.
      insert into crawl_pages (batch_id, hash, item)
        select page.batch_id, h, page.number from unnest(hashes) h on conflict do nothing;
    end if;
    if is_known or page.found ? 'drop' then
      known := jsonb_set(known, array[page.position::text], '"drop"');
    end if;
  end loop;
  return known;
end $$;

-- Adds to crawls what their ending items found, each address once, and starts further items in their place.
-- `known` and `paid` are the outcomes and charges by position.
create or replace function grow_crawls(ends jsonb, known jsonb, paid jsonb) returns void
language plpgsql set enable_seqscan = off as $$
declare
  grown record;
  crawl crawls;
  fresh integer;
begin
  for grown in
    select e.batch_id,
      count(*) filter (where (i.crawl ->> 'kind')::integer = 0) as pages,
      count(*) filter (where (i.crawl ->> 'kind')::integer = 0 and o.outcome = 'settle' and e.status = 200) as delivered,
      count(*) filter (where o.outcome = 'drop' and not e.found ? 'drop') as duplicates,
      count(*) filter (where o.outcome = 'drop' and e.found ->> 'drop' <> 'file') as skipped,
      max((e.found ->> 'delay_ms')::integer) as delay_ms,
      jsonb_agg(e.found -> 'links' order by e.position) filter (where jsonb_array_length(e.found -> 'links') > 0) as links
    from rows from (jsonb_to_recordset(ends) as (batch_id bigint, number integer, status integer, found jsonb))
      with ordinality as e (batch_id, number, status, found, position)
      cross join lateral (select known ->> e.position::text as outcome) o
      join batch_items i on i.batch_id = e.batch_id and i.number = e.number
    where i.crawl is not null and o.outcome in ('settle', 'fail', 'drop')
      and paid -> e.position::text ->> 'kind' is distinct from 'expired'
    group by e.batch_id order by e.batch_id
  loop
    select * into crawl from crawls c where c.batch_id = grown.batch_id for update;
    with links as (
      select l.value ->> 0 as url, (l.value ->> 1)::smallint as kind, min((l.value ->> 2)::integer) as depth,
        min((l.value ->> 3)::integer) as run, min(a.place * 100000 + l.place) as place
      from jsonb_array_elements(coalesce(grown.links, '[]')) with ordinality as a (value, place)
        cross join lateral jsonb_array_elements(a.value) with ordinality as l (value, place)
      group by 1, 2
    ), placed as (
      select l.*, row_number() over (order by l.place) as turn from links l
    ), added as (
      -- A site of any size has a bound: a trap fills no disk. A shorter way to a waiting address counts.
      insert into crawl_urls as u (batch_id, hash, number, url, kind, depth, run)
      select grown.batch_id, crawl_hash(l.url), crawl.next_url + l.turn, l.url, l.kind, l.depth, l.run
      from placed l
      where crawl.known + l.turn <= 20000 + 10 * crawl.page_limit::bigint
      on conflict (batch_id, hash) do update
        set depth = least(u.depth, excluded.depth), run = least(u.run, excluded.run)
        where u.waiting and (excluded.depth < u.depth or excluded.run < u.run)
      returning kind, u.number > crawl.next_url as is_new
    )
    select count(*) filter (where kind = 0 and is_new) into fresh from added;
    update crawls c set
        next_url = c.next_url + (select coalesce(sum(jsonb_array_length(l)), 0) from jsonb_array_elements(grown.links) l),
        known = c.known + fresh, waiting = c.waiting + fresh, open = c.open - grown.pages,
        delivered = c.delivered + grown.delivered, duplicates = c.duplicates + grown.duplicates,
        skipped = c.skipped + grown.skipped, delay_ms = greatest(c.delay_ms, grown.delay_ms)
      where c.batch_id = grown.batch_id;
    perform promote_urls(grown.batch_id);
  end loop;
end $$;

-- Makes items of waiting addresses, files of the site first, then pages by their depth, as many as the limit has
-- room for; a few at a time, so that the shallow pages come first. Returns how many.
create or replace function promote_urls(for_batch bigint) returns integer
language plpgsql set enable_seqscan = off as $$
declare
  crawl crawls;
  room integer;
  made integer;
  pages integer;
begin
  select * into crawl from crawls c where c.batch_id = for_batch for update;
  select least(crawl.page_limit - crawl.delivered - crawl.open, 512 - b.queued) into room
    from batches b where b.id = for_batch;
  with next as (
    (select u.hash from crawl_urls u
      where u.batch_id = for_batch and u.waiting and u.kind = 1
      order by u.kind, u.depth, u.number limit 64)
    union all
    (select u.hash from crawl_urls u
      where u.batch_id = for_batch and u.waiting and u.kind = 0
      order by u.kind, u.depth, u.number limit greatest(0, room))
  ), taken as (
    update crawl_urls u set waiting = false from next n
    where u.batch_id = for_batch and u.hash = n.hash
    returning u.url, u.kind, u.depth, u.run, u.number
  ), items as (
    insert into batch_items as i (batch_id, number, pool, operation, custom_id, input, minimum, most, lasts_ms, crawl)
    select for_batch, crawl.next_item - 1 + row_number() over (order by t.kind desc, t.depth, t.number),
      k.item ->> 'pool', k.item ->> 'operation', t.url,
      (k.item -> 'input' || jsonb_build_object('url', t.url))::text,
      (k.item ->> 'minimum')::integer, (k.item ->> 'most')::integer, (k.item ->> 'lasts_ms')::integer,
      jsonb_build_object('kind', t.kind, 'depth', t.depth, 'run', t.run)
    from taken t cross join lateral (
      select case t.kind when 0 then crawl.page else crawl.file end as item) k
    returning (i.crawl ->> 'kind')::integer as kind
  )
  select count(*), count(*) filter (where kind = 0) into made, pages from items;
  if made > 0 then
    update crawls c set next_item = c.next_item + made, open = c.open + pages, waiting = c.waiting - pages
      where c.batch_id = for_batch;
    update batches b set total = b.total + made, queued = b.queued + made where b.id = for_batch;
  end if;
  return made;
end $$;

-- The pause between two starts at the site of a crawl: the longest that its robots.txt told a running crawl which obeys
-- it. The first start of such a crawl keeps a pause that it does not know yet.
create or replace function crawl_pause(crawl crawls) returns integer
language plpgsql stable as $$
begin
  if crawl.delay_ms = 0 and (crawl.known > 0 or not (crawl.rules ->> 'obeysRobots')::boolean) then
    return 0;
  end if;
  return (
    select greatest(crawl.delay_ms, max(c.delay_ms))
    from crawls c join batches b on b.id = c.batch_id and b.state in ('running', 'cancelling')
      join batches asking on asking.id = crawl.batch_id and asking.mode = b.mode
    where c.site = crawl.site);
end $$;

-- How many items of the batch may start now: those of all crawls of a site together are its limit of requests at
-- once. However many requests the crawls of other accounts have at the site, those of an account have its part of the
-- limit, one at least. A pause that robots.txt names lies between two starts of all crawls of the site; the crawl
-- whose last start is the longest ago has the next, unless it lets a second pass. The lock is the last that a
-- statement takes.
create or replace function crawl_room(crawl crawls, moment timestamptz) returns integer
language plpgsql as $$
declare
  busy integer;
  own integer;
  accounts integer;
  room integer;
  pause integer;
  free_at timestamptz;
  longer boolean;
begin
  if crawl.next_start > moment then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('crawl ' || crawl.site, 0));
  select coalesce(sum(b.running), 0), coalesce(sum(b.running) filter (where b.account_id = asking.account_id), 0),
      count(distinct b.account_id), max(c.next_start) filter (where b.mode = asking.mode),
      coalesce(bool_or(c.delay_ms > 0 and b.mode = asking.mode and b.state = 'running' and b.queued > 0
        and coalesce(c.next_start, '-infinity') < coalesce(crawl.next_start, '-infinity')), false)
    into busy, own, accounts, free_at, longer
    from crawls c join batches b on b.id = c.batch_id
      cross join (select account_id, mode from batches where id = crawl.batch_id) asking
    where c.site = crawl.site and b.state in ('running', 'cancelling');
  room := greatest(crawl.at_once - busy, greatest(1, crawl.at_once / greatest(1, accounts)) - own);
  pause := crawl_pause(crawl);
  if pause = 0 then
    return room;
  end if;
  -- The wait for the lock may have been for a start.
  moment := clock_timestamp();
  if free_at > moment or (longer and free_at + interval '1 second' > moment) then
    return 0;
  end if;
  return least(1, room);
end $$;

-- Ends a crawl that finds no credits: its waiting items are addresses again, with which `resume_crawl` continues.
create or replace function stop_crawl(for_batch bigint) returns void
language plpgsql set enable_seqscan = off as $$
declare
  batch record;
  pages integer;
  made integer;
begin
  with back as (
    delete from batch_items i where i.batch_id = for_batch and i.owner is null
    returning crawl_hash(i.custom_id) as hash, (i.crawl ->> 'kind')::integer as kind
  ), free as (
    update crawl_urls u set waiting = true from back b where u.batch_id = for_batch and u.hash = b.hash
  )
  select count(*), count(*) filter (where kind = 0) into made, pages from back;
  update crawls c set open = c.open - pages, waiting = c.waiting + pages,
      stopped_by = case when b.charged >= b.max_credits then 'max_credits' else 'balance' end
    from batches b where c.batch_id = for_batch and b.id = for_batch;
  update batches b set queued = 0, total = b.total - made, state = 'ended', ended_at = clock_timestamp()
    where b.id = for_batch and b.state = 'running' and b.running = 0
    returning b.account_id, b.mode, b.public_id, b.sequence into batch;
  perform emit_webhooks(jsonb_build_array(batch_event(batch.account_id, batch.mode, 'batch.ended',
    batch_end(batch.public_id, batch.sequence, 'ended'), batch.public_id,
    jsonb_build_object('state', 'ended'))));
end $$;

-- Continues a crawl that its limit, its credits or its balance ended, or gives a running one other bounds. The
-- answers are those of `retry_batch`.
create or replace function resume_crawl(id_told text, owner_account bigint, owner_mode text, by_key text,
  resume_id text, not_after float8, new_limit integer, new_most bigint) returns bigint
language plpgsql set enable_seqscan = off as $$
declare
  batch record;
  made integer;
begin
  select b.* into batch from batches b join crawls c on c.batch_id = b.id
    where b.public_id = id_told and b.account_id = owner_account and b.mode = owner_mode
      and b.state <> 'receiving'
    for update of b;
  if not found then
    return null;
  end if;
  if resume_id = any (batch.retries) then
    return batch.id;
  end if;
  if to_timestamp(not_after / 1000) <= clock_timestamp() then
    return -2;
  end if;
  if batch.state in ('cancelling', 'cancelled') or is_revoked(by_key) then
    return -1;
  end if;
  update crawls c set page_limit = coalesce(new_limit, c.page_limit), stopped_by = null
    where c.batch_id = batch.id;
  update batches b
    set retries = (b.retries || resume_id)[greatest(1, cardinality(b.retries) - 98):],
      max_credits = case when new_most is null then b.max_credits else greatest(new_most, b.charged + b.held) end
    where b.id = batch.id;
  made := promote_urls(batch.id);
  if batch.state = 'ended' and made > 0 then
    update batches b set state = 'running', key_id = by_key, ended_at = null, began_at = clock_timestamp(),
        began_with = b.succeeded + b.failed
      where b.id = batch.id;
  end if;
  return batch.id;
end $$;

-- Lets crawls of an account ignore robots.txt, or no longer. False where it was so before.
create or replace function exempt_from_robots(for_account bigint, exempt boolean) returns boolean
language plpgsql as $$
begin
  if exempt then
    insert into robots_exemptions values (for_account) on conflict do nothing;
  else
    delete from robots_exemptions where account_id = for_account;
  end if;
  if not found then
    return false;
  end if;
  perform note_change('limits', a.name, a.id, jsonb_build_object('may_ignore_robots', not exempt),
    jsonb_build_object('may_ignore_robots', exempt), '') from accounts a where a.id = for_account;
  return true;
end $$;
