import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stampOf } from "../../../../web/machine/events/files-stamp.ts";
import { temporaryJournal } from "../../../journal/temporary-journal.ts";

test("a stamp is the same while nothing changes, and another one when a file comes", () => {
  using journal = temporaryJournal();
  const paths = [join(journal.path, "memory"), join(journal.path, "nothing")];
  const first = stampOf(paths);
  expect(stampOf(paths)).toBe(first);
  mkdirSync(join(journal.path, "nothing"));
  expect(stampOf(paths)).not.toBe(first);
});

test("a link that leads to itself, or nowhere, is an entry like another one", () => {
  using journal = temporaryJournal();
  const memory = join(journal.path, "memory");
  mkdirSync(memory);
  const empty = stampOf([memory]);
  symlinkSync("loop", join(memory, "loop"));
  symlinkSync("nowhere", join(memory, "lost"));
  symlinkSync("..", join(memory, "up"));
  const linked = stampOf([memory]);
  expect(linked).not.toBe(empty);
  expect(stampOf([memory])).toBe(linked);
});
