import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attachmentRules, contentOf, takeAttachments } from "../../journal/attachments/take-attachments.ts";
import { pdf, png } from "../support/files/sample-files.ts";
import { temporaryJournal } from "./temporary-journal.ts";

const rules = attachmentRules({});

function journalWith(files: Record<string, string | Buffer>) {
  const journal = temporaryJournal();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(journal.path, path, ".."), { recursive: true });
    writeFileSync(join(journal.path, path), content);
  }
  return journal;
}

test("files come by path, by content and by id, and are the same file where their content is", async () => {
  using journal = journalWith({ "20250109/plan.png": png() });
  const data = png().toString("base64");
  const refs = [
    { path: "20250109/plan.png" },
    { name: "other.png", data },
    { path: join(journal.path, "20250109/plan.png") },
  ];
  const parts = await takeAttachments(refs, { journal: journal.path }, rules);
  expect(parts.map(({ name }) => name)).toEqual(["plan.png", "other.png", "plan.png"]);
  expect(new Set(parts.map(({ id }) => id)).size).toBe(1);
  const again = await takeAttachments([{ id: parts[0]?.id }], { journal: journal.path }, rules);
  expect(again).toEqual([parts[0]]);
});

test("a run's folder comes before the journal, and neither lets anybody out", async () => {
  using journal = journalWith({ "a.txt": "of the journal", "b.txt": "of the journal" });
  using folder = journalWith({ "a.txt": "of the folder, which is longer" });
  const places = { journal: journal.path, folder: folder.path };
  const [a, b] = await takeAttachments([{ path: "a.txt" }, { path: "b.txt" }], places, rules);
  expect([a?.size, b?.size]).toEqual([30, 14]);
  symlinkSync("/etc/passwd", join(journal.path, "link.txt"));
  symlinkSync("/etc", join(folder.path, "etc"));
  for (const path of [
    "/etc/passwd",
    "../../../etc/passwd",
    "link.txt",
    "etc/passwd",
    "a.txt/x",
    "a\u0000.txt",
    `${"x".repeat(300)}.txt`,
  ])
    await expect(takeAttachments([{ path }], places, rules)).rejects.toThrow(/can't be taken/);
});

test("keys, pipes, folders, and what isn't there are refused in words", async () => {
  using journal = journalWith({
    ".run/endpoints.json": "{}",
    ".state/x": "y",
    "cortex.json": "{}",
    "telegram-token": "1:x",
  });
  mkdirSync(join(journal.path, "folder"));
  execFileSync("mkfifo", [join(journal.path, "pipe")]);
  const why = async (path: string) =>
    takeAttachments([{ path }], { journal: journal.path }, rules).then(
      () => "taken",
      (error: Error) => error.message,
    );
  for (const path of [".run/endpoints.json", ".state/x", "cortex.json"])
    expect(await why(path)).toBe(`attachments[0] "${path}" can't be taken: keys and tokens are kept there`);
  for (const path of ["folder", "pipe"]) expect(await why(path)).toMatch(/it isn't a file/);
  expect(await why("nothing.png")).toMatch(/it isn't there/);
});

test("data that isn't base64, or is more than a message holds, is refused, and so is a kind that isn't taken", async () => {
  using journal = temporaryJournal();
  const take = (data: string, kinds?: string[]) =>
    takeAttachments(
      [{ name: "x.png", data }],
      { journal: journal.path },
      attachmentRules(kinds ? { attachments: { kinds } } : {}),
    );
  for (const data of ["not base64!", "abc", "YWJj\n", "=AAA"]) await expect(take(data)).rejects.toThrow("isn't base64");
  await expect(take(Buffer.alloc(512 * 1024 + 1, "a").toString("base64"))).rejects.toThrow(/more than 512 KiB/);
  await expect(take(Buffer.alloc(512 * 1024, "a").toString("base64"))).resolves.toHaveLength(1);
  await expect(take(pdf().toString("base64"), ["image/*"])).rejects.toThrow("its kind isn't taken (application/pdf)");
  await expect(takeAttachments([{ id: "0".repeat(64) }], { journal: journal.path }, rules)).rejects.toThrow(
    "nothing is stored under that id",
  );
});

test("a file beyond the limit isn't read, and one that changes while it is read isn't taken", async () => {
  using journal = journalWith({ "large.txt": Buffer.alloc(300_000, "x") });
  const path = join(journal.path, "large.txt");
  await expect(contentOf(path, 299_999).next()).rejects.toThrow(/larger than/);
  const reading = async () => {
    for await (const _ of contentOf(path, 1_000_000)) appendFileSync(path, "more");
  };
  await expect(reading()).rejects.toThrow("it changed while it was read");
});
