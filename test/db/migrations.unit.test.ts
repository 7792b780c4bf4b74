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
  "0021_baseline.sql": "08895828a3fd9a383c583ca85565ae1d9cd115f7da7c29f72edbe73926c0de76",
  "0022_jobs_by_account.sql": "e9a367cd9512307388ede03c5d6cac84cad9788a6c41a9f46be213f7bfe8b903",
  "0023_hand_in_in_time.sql": "23366d3863ea9e4f74fbc531d534ebb29c091a0fd64dd771b8f5b3fdd4b67fbc",
};

/** The functions as they landed with the latest migration, by file. */
const landedFunctions: Record<string, string> = {
  "accounts.sql": "75fbd890dee82c22",
  "batch-items.sql": "6eb61923c42c4f07",
  "batches.sql": "372f1b289bd58fbf",
  "budgets.sql": "ac9ec950c1b26c81",
  "calls.sql": "8f1dc16a923a4319",
  "capacity.sql": "670f6d11073c347f",
  "jobs.sql": "1f9e7eed24855f15",
  "kept-bodies.sql": "feda9a6fa026cebb",
  "stories.sql": "6370426f65ba4317",
  "webhooks.sql": "0456278577b191f1",
};

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

test("migrations are only added: none that has landed is edited, renamed or removed", () => {
  expect(Object.fromEntries(migrations.map(({ name, sha256 }) => [name, sha256]))).toEqual(landed);
});

test("migrations are numbered one after the other, from the baseline on", () => {
  const numbers = migrations.map(({ name }) => Number(/^(\d{4})_[a-z_]+\.sql$/.exec(name)?.[1]));
  expect(numbers).toEqual(numbers.map((_, index) => 21 + index));
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
