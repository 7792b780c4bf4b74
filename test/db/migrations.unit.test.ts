import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = new URL("../../db/migrations/", import.meta.url);

/**
 * Migrations that databases may already have: add a line with a new file, never change or remove
 * one.
 */
const landed: Record<string, string> = {
  "0001_tables.sql": "10c1d737a5837f4db5e17cf97da5c8c046ea05930b51f4338526e9e7fcfd870c",
  "0002_calls.sql": "91765a15dd07510ca2609f448394c3bf9e58033cc65189d4b7c03013c9a63b8f",
  "0003_accounts.sql": "1b7d1cf27f538743cd2df66171b9b165f5837f4b790cc399b6d703c101020de0",
  "0004_settle_in_time.sql": "9275aa4383b5a8cae09e6fa5c07218c7d08bfd30e0b28d2e4a8099baee730838",
  "0005_look_up.sql": "4539b2ae5700265c452d2ae7c4de7b4652bcadc7e483924be914a75a38bd5b72",
  "0006_kept_bytes.sql": "879ed4f1a2f2548caa3f0ec22feca9cd04729678bc6338de283824ce25d97dba",
  "0007_webhooks.sql": "de8aa61064c7bbfd6127ac29a7caf3a10cdc5f9b2f3e246450ec44c79468e7d5",
  "0008_stories.sql": "132af27353626329d71d5e5f0dbf90d6619e496bc9a1cd15f3b5c3b731877225",
  "0009_jobs.sql": "73e8daa7acc5369f9388a260f6c4781ab1257f8afa236bfa893b1877f4ff8184",
  "0010_capacity.sql": "d3abf943cb61f46fab4e020ff8c052c259c4621c9afe4eeac7e0d2f1cc91852d",
  "0011_controls.sql": "942e7bbb09a32027aecb65b4a112b5c529ad87dcd2dcfd2191ab019a5bded675",
  "0012_webhook_addresses.sql": "ad51157b5e8328d5fb3f557ab757060c1daa4daa6e74e60d930ea7ef0bdc5b20",
  "0013_batches.sql": "4d2e3e2e573a0f27ddb23a0b88c7eab40ad220a3284168ad10a91a34e6e05906",
  "0014_batch_events.sql": "2a3390f11da170236a90339862b7961814e8b49da914f67b1e3f3f87a5c94def",
  "0015_batch_addresses.sql": "b7e8c17f489f6ce5a4be0294ee56fd1a3108a40f13d92fc7718a2202c6f1cae8",
  "0016_jobs_at_once.sql": "bdd13d7f4b773d3d5902de5bd3748c85908252aa8934e82bcf670c7dffa74cd9",
  "0017_batch_pauses.sql": "9b31c12ebe1892a1c0f6a5391c389e62b6d1eeeeb7b19165e81da6e14019ae2c",
  "0018_budgets.sql": "e460db545524f66e372c6a5465afe6a2b92a3c8aa86a9f3570d42d693cd376ce",
  "0019_batch_keys.sql": "69ddb6e2b032fa6b74d2302db7da9f038814c5e82cec759e44c62289d1c388a6",
  "0020_fields.sql": "0b147e0ed811887b8fe2e8b3b2a3596a0e9ef72b9a588b38e27a4a68287e03b2",
  "0021_batch_starts.sql": "fd3f2a7eb9e17c6bf004643ff8c4bf125f90896a336fa2d1bae61c023e84b7f9",
};

test("migrations are only added: no released one is edited, renamed or removed", () => {
  const present = Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(new URL(name, folder)))
          .digest("hex"),
      ]),
  );
  expect(present).toEqual(landed);
});

test("migrations are numbered consecutively", () => {
  const numbers = Object.keys(landed).map((name) =>
    Number(/^(\d{4})_[a-z_]+\.sql$/.exec(name)?.[1]),
  );
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});
