/** Changes of the journal's files, as the page is told of them. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { listenToJournal } from "../../../../web/machine/events/journal-news.ts";
import { temporaryJournal } from "../../../journal/temporary-journal.ts";

const ends = new DisposableStack();
afterAll(() => ends.dispose());

/** A journal with something of each part, and what is told of it. */
function watched() {
  const journal = ends.use(temporaryJournal()).path;
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(journal, path)), { recursive: true });
    writeFileSync(join(journal, path), text);
  };
  write("apps/garden/app.json", "{}");
  for (const day of [1, 2, 3, 4, 5, 6]) write(`2025010${day}/notes.md`, "-");
  const waiting: ((parts: string[]) => void)[] = [];
  ends.use(listenToJournal(journal, (parts) => waiting.shift()?.(parts), 5));
  const told = () => new Promise<string[]>((resolve) => void waiting.push(resolve));
  return { journal, write, told };
}

test.each([
  ["cortex.json", "settings"],
  ["personas/ada.txt", "personas"],
  ["skills/review/SKILL.md", "skills"],
  ["memory/people/ada.md", "memory"],
  ["facets/garden/todos/20250102.jsonl", "facets"],
  ["20250106/reports/night.md", "days"],
  ["20250107/notes.md", "days"],
])("that %s came, was changed and is gone is told as %s", async (path, part) => {
  const { journal, write, told } = watched();
  for (const act of [() => write(path, "first"), () => write(path, "second text"), () => rmSync(join(journal, path))]) {
    const news = told();
    act();
    expect(await news).toEqual([part]);
  }
});

test("an app's files are told with the part that they belong to", async () => {
  const { write, told } = watched();
  const news = told();
  write("apps/garden/skills/sow/SKILL.md", "-");
  expect(await news).toEqual(["skills", "apps"]);
});
