import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { migration, sqlFiles } from "../../db/migrations.ts";

const { migrations, functions } = sqlFiles();

/**
 * Migrations that databases may already have: add a line with a new file, never change or remove
 * one.
 */
const landed: Record<string, string> = {
  "0021_baseline.sql": "42ad5010a95df8e68706ab5be8bbad54ba17ee381cace83f8291a27b8d93efed",
  "0022_jobs_by_account.sql": "d901b3458cb2b2d9f661a7df8cbdd1d062f62a150911b757dc84121933430cdc",
  "0023_hand_in_in_time.sql": "23366d3863ea9e4f74fbc531d534ebb29c091a0fd64dd771b8f5b3fdd4b67fbc",
  "0024_batch_ends.sql": "a4de29d41826ec77ae22e4c4627a4c320178efe4314b444e32b875ef85835cc0",
  "0025_steps_by_id.sql": "3806188074d631f514593973bb4bc1b6785a4062c71510b38f3444cec0177105",
  "0026_usage_days.sql": "eb99c84902bf95a3eed2f4cd70fc258b68508c629ebc924bae654785e3d50da1",
  "0027_keys_end.sql": "3c7da1bede6b9bda5062a5a280e5ff5b0eee2e0ffdc7727c4cf178ec8bf4d6ed",
  "0028_own_writes.sql": "0dee9d5c94b8d428439f5e386990eeaa75585b98dc7e330881ed86903fbc3d56",
  "0029_changes.sql": "6579048136b7f51b00a972580f83dbf49eb329ecf0fa61c4db7ae2f70fa06673",
  "0030_verifications.sql": "fb2b5fac04b071a45914726f7c25afa77e97ff15823c7f5bab1b9a7b7f3ad5b4",
  "0031_crawls.sql": "6c3dc7208cf562318683a2012e885e231ef2b7261449c6238f791a45835bac63",
  "0033_account_credentials.sql":
    "aeeffffee2e2fa8511d43419aba5fe94c3ce3ec3855d5be86d020f0b86fd0df2",
  "0035_canaries.sql": "0dd780b70007b299e16b94bc2b48ce5bf3ccc5d34cddaf4b8a131ac145fddfc4",
  "0037_quiet_workers.sql": "80e0f608e1021b0ed93cc296068797b5d573f89217f703f04b56e69613ad951d",
  "0040_ended_workers.sql": "8432f29b2ad2bb9b92943c28c190b27673fd131af61c8d30f53fac5c71fcc19d",
  "0041_credentials_encrypted_again.sql":
    "b35fb5ffac7bc6f5571e3b74a51e106fe6d394779389dac9c2dc4420d10e4c69",
  "0042_counted_once.sql": "4cff54c5ee861138e94b2531c5bb1de0fb20c91c311d2f9f646a08cd8ceefb28",
  "0049_crawl_shares.sql": "572f391ae8649629764d117430855b0d8d18d43204bf899103daba0ba30ffaea",
  "0058_crawl_pauses.sql": "24822cbc3d38d80546cbfed2af6439e3dddf9e1d364fc9bf986c6c222eb475fc",
  "0059_failed_calls.sql": "5baaa9e0780e94a56740713325a9640b1ba33a790c1f6a17e7201a79922eef44",
  "0060_plans_kept.sql": "6f139176e93fda10f7f982ea31783dd36d425568c9f50f11f02b4192eaaf6686",
};

/** The functions as they landed with the latest migration, by file. */
const landedFunctions: Record<string, string> = {
  "accounts.sql": "be07e503e2468053",
  "batch-items.sql": "b7cf80becb602203",
  "batches.sql": "e830087463a62797",
  "budgets.sql": "b555cdc796ee32d3",
  "calls.sql": "b394818683018705",
  "capacity.sql": "739a8312dbc4dac2",
  "changes.sql": "bb3e29badfe1a27f",
  "controls.sql": "6b22c66d39969eef",
  "crawls.sql": "0ca9426205ccaf2a",
  "jobs.sql": "504a721af0727e50",
  "kept-bodies.sql": "8e650dc7c9ab1fa7",
  "stories.sql": "7a56b2c27c57ca29",
  "usage.sql": "96a698c8e221fc7d",
  "webhooks.sql": "778cb3a5538ea0bf",
};

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

test("migrations are only added: none that has landed is edited, renamed or removed", () => {
  expect(Object.fromEntries(migrations.map(({ name, sha256 }) => [name, sha256]))).toEqual(landed);
});

test("each migration has a number of its own, from the baseline on", () => {
  const numbers = migrations.map(({ name }) => Number(/^(\d{4})_[a-z_]+\.sql$/.exec(name)?.[1]));
  expect(numbers[0]).toBe(21);
  // A number may be left out: it is taken when a change is begun, and changes land in another order.
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
});

const folder = new URL("../../db/functions/", import.meta.url);
const files = Object.fromEntries(
  readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), "utf8")]),
);

test("functions change with a migration, if only one of a comment: an older version knows by it that they are newer", () => {
  const hashes = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, hash(text).slice(0, 16)]),
  );
  expect(hashes, "add a migration, then renew these").toEqual(landedFunctions);
});

test("each function is written once, so that it can be written again", () => {
  const heads = Object.values(files).flatMap((text) => [
    ...text.matchAll(/^(create\b.*?) (\w+)\(/gm),
  ]);
  expect(heads.length).toBeGreaterThan(40);
  expect(new Set(heads.map(([, create]) => create))).toEqual(
    new Set(["create or replace function"]),
  );
  const names = heads.map(([, , name]) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(functions.text.split("create or replace function ")).toHaveLength(names.length + 1);
});

test("a migration says from which one on a process works with it, otherwise any does", () => {
  expect(migration("0023_a.sql", "-- Why.\n-- compatible from 0022\nselect 1;\n")).toMatchObject({
    name: "0023_a.sql",
    compatibleFrom: 22,
  });
  expect(migration("0024_b.sql", "-- Not: -- compatible from 0022").compatibleFrom).toBe(0);
});
