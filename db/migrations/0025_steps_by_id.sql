-- The requests that have retried a batch, by their own ids: a repeated statement changes nothing.
alter table batches add column retries text[] not null default '{}';
-- Another request has joined the running call of the key, so its hold is not released with the first request.
alter table replays add column joined boolean not null default false;
