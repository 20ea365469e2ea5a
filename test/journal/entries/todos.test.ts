import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FacetFileError, maxFileBytes } from "../../../journal/editing/facet-file.ts";
import { UnknownFacetError } from "../../../journal/notes/facets.ts";
import { addTodo, settleTodo, type TodoChoice, todosOf } from "../../../journal/entries/todos.ts";
import { upcomingTodos } from "../../../journal/entries/upcoming-todos.ts";
import { type FacetJournal, facetJournal } from "../facet-journal.ts";

const day = "20250118";
const file = `todos/${day}.md`;

let journal: FacetJournal;
beforeEach(() => {
  journal = facetJournal();
});
afterEach(() => journal[Symbol.dispose]());

const add = (text: string) => addTodo(journal.path, "garden", day, text);
const settle = (state: "done" | "cancelled", choice: TodoChoice) =>
  settleTodo(journal.path, "garden", day, state, choice);

describe("a list of todos", () => {
  test("holds the items with their lines and states, and nothing else of the file", () => {
    journal.write(
      file,
      "# Saturday\n\n- [ ] sow\n  - [X] nested\n- [-] paraffin\n- [x] tape \n- [?] odd\n- [ ]\n-[ ] tight\n* [ ] star\n- [ ] torn",
    );
    expect(todosOf(journal.path, "garden", day)).toEqual({
      path: `facets/garden/${file}`,
      todos: [
        { line: 3, state: "open", text: "sow" },
        { line: 4, state: "done", text: "nested" },
        { line: 5, state: "cancelled", text: "paraffin" },
        { line: 6, state: "done", text: "tape" },
        { line: 11, state: "open", text: "torn" },
      ],
    });
  });

  test("is empty without a file", () => {
    expect(todosOf(journal.path, "garden", day).todos).toEqual([]);
  });
});

describe("adding a todo", () => {
  test("makes the file, then goes on at its end", async () => {
    expect(await add("sow the peppers")).toEqual({
      path: `facets/garden/${file}`,
      line: 1,
      text: "- [ ] sow the peppers",
      changed: true,
    });
    expect((await add("wash")).line).toBe(2);
    expect(journal.read(file)).toBe("- [ ] sow the peppers\n- [ ] wash\n");
    expect(journal.names("todos")).toEqual([`${day}.md`]);
  });

  test("ends a torn last line first, and keeps what isn't understood to the byte", async () => {
    const before = Buffer.concat([
      Buffer.from("\uFEFF# x\r\n\tcode\r\n"),
      Buffer.from([0xff, 0xfe]),
      Buffer.from("- [ ] to"),
    ]);
    journal.write(file, before);
    expect((await add("next")).line).toBe(4);
    expect(journal.read(file)).toBe(`${before.toString("utf8")}\r\n- [ ] next\r\n`);
  });

  test("a hundred at once are all there, each told its own line", async () => {
    const edits = await Promise.all(Array.from({ length: 100 }, (_, index) => add(`item ${index}`)));
    const { todos } = todosOf(journal.path, "garden", day);
    expect(todos).toHaveLength(100);
    for (const [index, { line }] of edits.entries())
      expect(todos.find((todo) => todo.line === line)?.text).toBe(`item ${index}`);
    expect(journal.names("todos")).toEqual([`${day}.md`]);
  });

  test.each(["", "  ", "a\nb", "a\rb"])("of the text %j is refused", async (text) => {
    await expect(add(text)).rejects.toThrow();
    expect(journal.names("todos")).toEqual([]);
  });
});

describe("settling a todo", () => {
  beforeEach(() => {
    journal.write(
      file,
      "# x\r\n- [ ] buy bread\n- [ ] Buy Bread and milk\r\n\t- [ ] wash\n- [x] tape\n- [-] lamp\n- [ ] end",
    );
  });

  test("changes one byte, and leaves all others", async () => {
    const before = journal.read(file);
    expect(await settle("done", { line: 4 })).toMatchObject({ line: 4, text: "\t- [x] wash", changed: true });
    expect(journal.read(file)).toBe(before.replace("[ ] wash", "[x] wash"));
    await settle("cancelled", { text: "END" });
    expect(journal.read(file)).toBe(before.replace("[ ] wash", "[x] wash").replace("[ ] end", "[-] end"));
  });

  test.each<[TodoChoice, number]>([
    [{ text: "buy  bread" }, 2],
    [{ text: "milk" }, 3],
    [{ line: 3, text: "buy bread" }, 3],
    [{ line: 2, text: "Buy bread" }, 2],
    [{ line: 2, text: " " }, 2],
  ])("by %j finds line %i", async (choice, line) => {
    expect((await settle("done", choice)).line).toBe(line);
  });

  test("that is so already changes nothing", async () => {
    const before = journal.read(file);
    expect(await settle("done", { text: "tape" })).toMatchObject({ line: 5, changed: false });
    expect(await settle("cancelled", { line: 6 })).toMatchObject({ line: 6, changed: false });
    expect(journal.read(file)).toBe(before);
  });

  test.each<[TodoChoice, string]>([
    [{ text: "buy" }, 'say "buy". Choose by line: 2: - [ ] buy bread; 3: - [ ] Buy Bread and milk'],
    [{ text: "zebra" }, 'no todo of facets/garden/todos/20250118.md says "zebra". Choose by line: 2: - [ ] buy bread;'],
    [{ line: 1 }, "line 1 of facets/garden/todos/20250118.md has no todo. Choose by line: 2: "],
    [{ line: 99 }, "line 99 of"],
    [{ line: 3, text: "wash" }, "line 3 of facets/garden/todos/20250118.md was changed meanwhile. Choose by line: "],
    [{}, "which todo? Give its line, its text or both. Choose by line: "],
    [{ text: "  " }, "which todo?"],
    [{ text: "lamp" }, "6: - [-] lamp isn't open"],
    [{ line: 6 }, "6: - [-] lamp isn't open"],
  ])("by %j is refused: %s", async (choice, message) => {
    const before = journal.read(file);
    const failure = settle("done", choice);
    await expect(failure).rejects.toThrow(FacetFileError);
    await expect(failure).rejects.toThrow(message);
    expect(journal.read(file)).toBe(before);
  });

  test("is refused where there are none", async () => {
    await expect(settleTodo(journal.path, "garden", "20250101", "done", { line: 1 })).rejects.toThrow("has no todos");
    expect(journal.names("todos")).toEqual([`${day}.md`]);
  });
});

describe("what isn't a list of the facet's own", () => {
  test.each(["../garden", "..", "", "Garden", "none", "garden/todos"])("the facet %j is refused", async (name) => {
    expect(() => todosOf(journal.path, name, day)).toThrow(UnknownFacetError);
    await expect(addTodo(journal.path, name, day, "x")).rejects.toThrow("the facets are garden");
  });

  test.each(["../../x", "20250230", "today", ""])("the day %j is refused", async (name) => {
    await expect(addTodo(journal.path, "garden", name, "x")).rejects.toThrow("expected YYYYMMDD");
  });

  test("links are followed neither for reading nor for writing", async () => {
    const outside = join(journal.path, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, `${day}.md`), "- [ ] secret\n");
    symlinkSync(outside, journal.at("todos"));
    expect(() => todosOf(journal.path, "garden", day)).toThrow("is a link");
    await expect(add("x")).rejects.toThrow("is a link");
    expect(() => upcomingTodos(journal.path, "garden", day)).toThrow("is a link");
    expect(journal.names("../../outside")).toEqual([`${day}.md`]);
  });

  test("nor a file that is a link, in place of which nothing is put either", async () => {
    mkdirSync(journal.at("todos"));
    symlinkSync(join(journal.path, "cortex.json"), journal.at(file));
    await expect(add("x")).rejects.toThrow("is a link");
    expect(journal.names("todos")).toEqual([`${day}.md`]);
    expect(journal.names("../..")).not.toContain("cortex.json");
  });

  test("a folder, a file of other text and one that is too large are refused, and stay", async () => {
    mkdirSync(journal.at(file), { recursive: true });
    await expect(add("x")).rejects.toThrow("not a regular file");
    journal.write("todos/20250119.md", Buffer.from("- [ ] wide\n", "utf16le"));
    await expect(addTodo(journal.path, "garden", "20250119", "x")).rejects.toThrow("not UTF-8 text");
    journal.write("todos/20250120.md", "x".repeat(maxFileBytes));
    await expect(addTodo(journal.path, "garden", "20250120", "x")).rejects.toThrow(`at most ${maxFileBytes}`);
    journal.write("todos/20250121.md", "x".repeat(maxFileBytes + 1));
    expect(() => todosOf(journal.path, "garden", "20250121")).toThrow(`more than the ${maxFileBytes}`);
    expect(journal.names("todos")).toEqual([18, 19, 20, 21].map((number) => `202501${number}.md`));
  });
});

describe("upcoming todos", () => {
  test("are the open ones from a day on; earlier ones are counted", () => {
    journal.write("todos/20250111.md", "- [ ] old\n- [x] done\n");
    journal.write("todos/20250117.md", "- [ ] yesterday\n");
    journal.write("todos/20250118.md", "- [ ] today\n- [x] settled\n- [-] dropped\n");
    journal.write("todos/20250201.md", "- [ ] later\n");
    for (const name of ["notes.md", "20250118.txt", "20250230.md"]) journal.write(`todos/${name}`, "- [ ] no list\n");
    const { todos, ...rest } = upcomingTodos(journal.path, "garden", day);
    expect(todos.map((todo) => [todo.day, todo.line, todo.text])).toEqual([
      ["20250118", 1, "today"],
      ["20250201", 1, "later"],
    ]);
    expect(rest).toEqual({ earlier: { count: 2, from: "20250111" }, problems: [] });
  });

  test("end after enough of them, with the day to go on from", () => {
    for (const name of ["20250118", "20250119", "20250120"]) journal.write(`todos/${name}.md`, "- [ ] x\n".repeat(150));
    const { todos, cutAt } = upcomingTodos(journal.path, "garden", day);
    expect([todos.length, cutAt]).toEqual([300, "20250120"]);
  });

  test("a list that can't be read doesn't hide the others", () => {
    journal.write("todos/20250118.md", "x".repeat(maxFileBytes + 1));
    journal.write("todos/20250119.md", "- [ ] seen\n");
    const { todos, problems } = upcomingTodos(journal.path, "garden", day);
    expect(todos.map(({ text }) => text)).toEqual(["seen"]);
    expect(problems).toEqual([expect.stringContaining("todos/20250118.md has")]);
  });
});
