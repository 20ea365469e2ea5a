import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { editFile } from "../../../journal/editing/edit-file.ts";
import { dayFile } from "../../../journal/editing/facet-file.ts";
import { withLine } from "../../../files/lines/raw-lines.ts";
import { activeFile } from "../../../journal/runs/run-files.ts";
import { addTodo, settleTodo, todosOf } from "../../../journal/entries/todos.ts";
import { removeOldCallNotes } from "../../../journal/editing/tool-calls.ts";
import { state } from "../../../journal/config/paths.ts";
import { writeWorkFile } from "../../../journal/agents/work-files.ts";
import { type FacetJournal, facetJournal } from "../facet-journal.ts";
import { agentId } from "../temporary-journal.ts";

const day = "20250118";
const file = `todos/${day}.md`;
const fixture = fileURLToPath(new URL("../../fixtures/add-todos.ts", import.meta.url));

let journal: FacetJournal;
beforeEach(() => {
  journal = facetJournal();
});
afterEach(() => journal[Symbol.dispose]());

const texts = () => todosOf(journal.path, "garden", day).todos.map(({ text }) => text);
const keyOf = (text: string) => ({ agent_id: agentId, digest: createHash("sha256").update(text).digest("hex") });
const add = (text: string) => addTodo(journal.path, "garden", day, text, keyOf(text));

function adding(label: string, count: number) {
  const child = spawn(process.execPath, [fixture, journal.path, day, label, String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { ended: once(child, "exit") };
}

test("a change that the user's editor makes in between is kept, and the decision made anew on top of it", async () => {
  journal.write(file, "- [ ] a\n");
  const place = dayFile(journal.path, "garden", "todos", day);
  let decisions = 0;
  const edit = await editFile(place, (lines) => {
    if (decisions++ === 0) appendFileSync(journal.at(file), "- [ ] typed\n");
    return {
      edit: { path: place.path, line: lines.length + 1, text: "x", changed: true },
      lines: withLine(lines, "- [ ] b"),
    };
  });
  expect([edit.line, decisions, journal.read(file)]).toEqual([3, 2, "- [ ] a\n- [ ] typed\n- [ ] b\n"]);
});

test("a file that changes without end is given up, and nothing is left beside it", async () => {
  const place = dayFile(journal.path, "garden", "todos", day);
  const failure = editFile(
    place,
    (lines) => {
      journal.write(file, "x".repeat(lines.length + 1).concat(String(Math.random())));
      return { edit: { path: place.path, line: 1, text: "", changed: true }, lines: withLine(lines, "y") };
    },
    keyOf("y"),
  );
  await expect(failure).rejects.toThrow("keeps changing while it is written: try again");
  expect(journal.names("todos")).toEqual([`${day}.md`]);
  expect(readdirSync(state(journal.path, "tool-calls", agentId))).toEqual([]);
});

test("a file keeps its mode, and a new one is its owner's alone", async () => {
  await addTodo(journal.path, "garden", day, "a");
  expect(statSync(journal.at(file)).mode & 0o777).toBe(0o600);
  chmodSync(journal.at(file), 0o640);
  await addTodo(journal.path, "garden", day, "b");
  expect(statSync(journal.at(file)).mode & 0o777).toBe(0o640);
});

test("in a work folder outside of the journal the user's umask says who may read a new file", async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "cortex-work-"));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  mkdirSync(join(elsewhere, "theirs"));
  writeFileSync(join(elsewhere, "theirs/a.txt"), "");
  const modes = (folder: string) => [folder, join(folder, "a.txt")].map((path) => statSync(join(elsewhere, path)).mode);
  await writeWorkFile({ journal: journal.path, folder: realpathSync(elsewhere), mayWrite: [] }, "ours/a.txt", "a");
  expect(modes("ours")).toEqual(modes("theirs"));
  const inside = { journal: journal.path, folder: join(realpathSync(journal.path), "agents/a/work"), mayWrite: [] };
  await writeWorkFile(inside, "ours/a.txt", "a");
  expect(statSync(join(inside.folder, "ours")).mode & 0o777).toBe(0o700);
  expect(statSync(join(inside.folder, "ours/a.txt")).mode & 0o777).toBe(0o600);
});

test("two processes that write one file at once lose nothing", async () => {
  const { ended } = adding("theirs", 60);
  for (let number = 0; number < 60; number++) await add(`ours ${number}`);
  await ended;
  const expected = ["ours", "theirs"].flatMap((label) =>
    Array.from({ length: 60 }, (_, number) => `${label} ${number}`),
  );
  expect(texts().toSorted()).toEqual(expected.toSorted());
  expect(journal.names("todos")).toEqual([`${day}.md`]);
});

describe("a call that is repeated", () => {
  test("changes nothing more, and is answered as the first time", async () => {
    const first = await add("a");
    await addTodo(journal.path, "garden", day, "b");
    expect(await add("a")).toEqual(first);
    expect(texts()).toEqual(["a", "b"]);
    await settleTodo(journal.path, "garden", day, "done", { line: 1 }, keyOf("done"));
    // Opened again by hand since: the call isn't made a second time.
    writeFileSync(journal.at(file), "- [ ] a\n- [ ] b\n");
    const again = await settleTodo(journal.path, "garden", day, "done", { line: 1 }, keyOf("done"));
    expect([again.text, journal.read(file)]).toEqual(["- [x] a", "- [ ] a\n- [ ] b\n"]);
  });

  test("at the same moment is made once", async () => {
    const edits = await Promise.all([add("a"), add("a"), add("a")]);
    expect(new Set(edits.map(({ line }) => line))).toEqual(new Set([1]));
    expect(texts()).toEqual(["a"]);
  });

  test("is made if the first one failed", async () => {
    journal.write(file, Buffer.from("\0"));
    await expect(add("a")).rejects.toThrow("not UTF-8 text");
    journal.write(file, "");
    await add("a");
    expect(texts()).toEqual(["a"]);
  });

  test.each([
    ["with its temporary file: it was not made", true, ["a", "a"]],
    ["without: it was made", false, ["a"]],
  ])("of which a crash left the note, %s", async (_name, isLeft, expected) => {
    await add("a");
    const [name = ""] = readdirSync(state(journal.path, "tool-calls", agentId));
    const note = join(state(journal.path, "tool-calls", agentId), name);
    const temporary = `facets/garden/${file}.0123456789ab.tmp`;
    writeFileSync(note, JSON.stringify({ edit: { path: "x", line: 1, text: "- [ ] a", changed: true }, temporary }));
    if (isLeft) writeFileSync(join(journal.path, temporary), "- [ ] a\n- [ ] a\n");
    await add("a");
    expect(texts()).toEqual(expected);
    expect(journal.names("todos")).toEqual([`${day}.md`]);
  });

  test.each(["../x", "", "123"])("of %j, which is not a run, is refused", async (id) => {
    const failure = addTodo(journal.path, "garden", day, "a", { agent_id: id, digest: keyOf("a").digest });
    await expect(failure).rejects.toThrow("no call has this key");
    expect(existsSync(journal.at(file))).toBe(false);
  });
});

test("the notes of runs that have ended are cleared away, those of others stay", async () => {
  const old = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);
  const folder = (id: string) => state(journal.path, "tool-calls", id);
  const [ended, active, recent] = ["1736380800001", "1736380800002", "1736380800003"];
  for (const id of [ended, active, recent])
    await addTodo(journal.path, "garden", day, id, { ...keyOf(id), agent_id: id });
  for (const id of [ended, active]) utimesSync(folder(id), old, old);
  journal.write(`../../runs/20250109/${active}_active.jsonl`, "");
  expect(existsSync(activeFile(journal.path, active))).toBe(true);
  removeOldCallNotes(journal.path, Date.now());
  expect([ended, active, recent].map((id) => existsSync(folder(id)))).toEqual([false, true, true]);
});
