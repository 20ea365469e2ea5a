import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keepAttachments } from "../../../journal/attachments/keep-attachments.ts";
import { dropNamed } from "../../../journal/retention/named-attachments.ts";

test("files that are kept for others aren't swept", async () => {
  const journal = mkdtempSync(join(tmpdir(), "journal-"));
  onTestFinished(() => rmSync(journal, { recursive: true }));
  const [a, b, c] = ["a", "b", "c"].map((digit) => digit.repeat(64)) as [string, string, string];
  await keepAttachments(journal, [a]);
  await keepAttachments(journal, [b]);
  await keepAttachments(journal, []);
  const unused = new Set([a, b, c]);
  await dropNamed(journal, unused, () => false);
  expect([...unused]).toEqual([c]);
});
