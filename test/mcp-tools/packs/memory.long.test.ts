import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { appendMemory, maxMemoryFiles } from "../../../journal/agents/memory.ts";
import { issueToken } from "../../../journal/access/tokens.ts";
import { packs } from "../../../protocol/settings/packs.ts";
import { callAs } from "../agents-service.ts";
import { callTool, connect, makeJournal, startTools, type ToolsServer } from "../tools-server.ts";

const folder = makeJournal();
const { journal } = folder;
const at = (...parts: string[]) => join(journal, "memory", ...parts);
const textOf = (path: string) => readFileSync(at(path), "utf8");
let server: ToolsServer;
let client: Client & AsyncDisposable;

beforeAll(async () => {
  server = await startTools(journal);
  client = await connect(server.url, await issueToken(journal, "1736380800000", packs["memory"] ?? []));
  // From here on the client holds every answer against the tool's output schema.
  await client.listTools();
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});
afterEach(() => rmSync(at(), { recursive: true, force: true }));

const call = (name: string, args: Record<string, unknown>) => callTool(client, name, args);
const put = (path: string, text: string) => {
  mkdirSync(join(at(path), ".."), { recursive: true });
  writeFileSync(at(path), text);
};

test("what is written is listed with its size and summary, and read again", async () => {
  expect((await call("memory_list", {})).text).toBe("the memory is empty");
  await call("memory_write", { path: "user.md", content: "# User\n\n> Summary: who it is\n\nLikes tea.\n" });
  expect((await call("memory_write", { path: "people/anna.md", content: "Anna.\n" })).text).toBe(
    "people/anna.md: written",
  );
  expect((await call("memory_list", {})).text).toBe("people/anna.md (6 bytes)\nuser.md (41 bytes): who it is");
  expect((await call("memory_list", { folder: "people/" })).text).toBe("people/anna.md (6 bytes)");
  expect((await call("memory_read", { path: "user.md", from: 5 })).text).toBe("Likes tea.");
  expect((await call("memory_write", { path: "people/anna.md", content: "Anna!\n" })).text).toBe(
    "people/anna.md: replaced",
  );
});

test("what is written is found by its words at once, with the file and the line", async () => {
  await call("memory_write", { path: "people/anna.md", content: "# Anna\n\nLikes tea, lives in 北京.\n" });
  await call("memory_append", { path: "user.md", entry: "Has a Krankenversicherung." });
  expect((await call("memory_search", { query: "北京" })).text).toBe("people/anna.md:3: Likes tea, lives in 北京.");
  const { structuredContent } = await client.callTool({ name: "memory_search", arguments: { query: "Versicherung" } });
  const { hits } = structuredContent as { hits: unknown[] };
  expect(hits).toEqual([{ path: "user.md", line: 1, ts: expect.any(Number), snippet: "Has a Krankenversicherung." }]);
  expect((await call("memory_search", { query: "walrus" })).text).toBe(
    "nothing found: try other words, or memory_list",
  );
  expect((await call("memory_search", { query: "a", limit: 51 })).isError).toBe(true);
});

test("a patch changes the one place that fits, to the byte", async () => {
  // The last line is in an old encoding.
  mkdirSync(at());
  writeFileSync(at("a.md"), Buffer.from("one\r\ntwo\r\nb\xe4r\r\n", "latin1"));
  const answer = await client.callTool({
    name: "memory_patch",
    arguments: { path: "a.md", old_str: "two", new_str: "2\r\n2" },
  });
  expect(answer.structuredContent).toEqual({ path: "a.md", line: 2, changed: true });
  expect(readFileSync(at("a.md"), "latin1")).toBe("one\r\n2\r\n2\r\nb\xe4r\r\n");
});

test.each([
  ["x", "0 matches"],
  ["aa", "4 matches"],
])("a patch of %j says how often it stands there", async (old_str, said) => {
  put("a.md", "aaaaa b\n");
  const { text, isError } = await call("memory_patch", { path: "a.md", old_str, new_str: "y" });
  expect([isError, text]).toEqual([true, expect.stringContaining(said)]);
  expect(textOf("a.md")).toBe("aaaaa b\n");
});

describe("an entry", () => {
  test("is added at the end, with a line of its own after a torn one, ended as the others are", async () => {
    put("a.md", "one\r\ntw");
    expect((await call("memory_append", { path: "a.md", entry: "- three\n- four\n" })).text).toBe("a.md:3: added");
    expect(textOf("a.md")).toBe("one\r\ntw\r\n- three\r\n- four\r\n");
  });

  test.each([
    ["", "> Summary: new\n\n- e\n"],
    ["old\n", "> Summary: new\n\nold\n- e\n"],
    ["# Title\n\ntext\n", "# Title\n\n> Summary: new\n\ntext\n- e\n"],
    ["# Title\ntext\n", "# Title\n\n> Summary: new\n\ntext\n- e\n"],
    ["# Title\n\n> Summary: old\ntext", "# Title\n\n> Summary: new\ntext\n- e\n"],
  ])("with a summary: %j becomes %j", async (before, after) => {
    const path = `a${before.length}.md`;
    if (before !== "") put(path, before);
    await call("memory_append", { path, entry: "- e", summary: "new" });
    expect(textOf(path)).toBe(after);
  });

  test("is lost by none of twenty calls at once, from two processes", async () => {
    const own = Array.from({ length: 10 }, (_, index) => appendMemory(journal, "b.md", { entry: `- own ${index}` }));
    const others = Array.from({ length: 10 }, (_, index) =>
      call("memory_append", { path: "b.md", entry: `- other ${index}` }),
    );
    await Promise.all(own);
    for (const { text, isError } of await Promise.all(others)) expect(isError, text).toBe(false);
    const numbers = Array.from({ length: 10 }, (_, index) => index);
    const expected = [...numbers.map((index) => `- own ${index}`), ...numbers.map((index) => `- other ${index}`)];
    expect(textOf("b.md").trimEnd().split("\n").toSorted()).toEqual(expected.toSorted());
  });
});

test("a call that is repeated with its id changes nothing more", async () => {
  const append = { path: "a.md", entry: "- once" };
  const first = await callAs(client, "c1", "memory_append", append);
  expect(await callAs(client, "c1", "memory_append", append)).toEqual(first);
  const patch = { path: "a.md", old_str: "once", new_str: "one" };
  const patched = await callAs(client, "c2", "memory_patch", patch);
  expect(await callAs(client, "c2", "memory_patch", patch)).toEqual(patched);
  const write = { path: "w.md", content: "first\n" };
  await callAs(client, "c3", "memory_write", write);
  await callAs(client, "c4", "memory_write", { path: "w.md", content: "second\n" });
  await callAs(client, "c3", "memory_write", write);
  expect([textOf("a.md"), textOf("w.md")]).toEqual(["- one\n", "second\n"]);
});

describe("a path", () => {
  const outside = makeJournal();
  afterAll(() => outside[Symbol.dispose]());

  test.each([
    "../user.md",
    "a/../../b.md",
    "/etc/user.md",
    ".hidden.md",
    ".git/a.md",
    "a/.b/c.md",
    "a.txt",
    "a.md/",
    "a\\b.md",
    "a\u202eb.md",
    "a/b/c/d/e/f/g/h/i.md",
    `${"x".repeat(400)}.md`,
    "",
  ])("such as %j is refused by every tool", async (path) => {
    const content = { memory_write: { content: "x" }, memory_append: { entry: "x" }, memory_read: {} };
    for (const [name, rest] of Object.entries({ ...content, memory_patch: { old_str: "x", new_str: "y" } })) {
      const { text, isError } = await call(name, { path, ...rest });
      expect([isError, text]).toEqual([true, expect.stringContaining("path")]);
      expect(text).not.toContain(journal);
    }
    expect(existsSync(at())).toBe(false);
  });

  test("through a link is none, wherever it leads", async () => {
    mkdirSync(at("real"), { recursive: true });
    writeFileSync(join(outside.journal, "secret.md"), "secret\n");
    symlinkSync(join(outside.journal, "secret.md"), at("file.md"));
    symlinkSync(outside.journal, at("folder"));
    symlinkSync(join(outside.journal, "none.md"), at("dangling.md"));
    symlinkSync(at("real"), at("near"));
    for (const path of ["file.md", "folder/secret.md", "folder/new.md", "dangling.md", "near/new.md"]) {
      for (const [name, rest] of [
        ["memory_read", {}],
        ["memory_write", { content: "x" }],
        ["memory_append", { entry: "x" }],
      ] as const) {
        const { text, isError } = await call(name, { path, ...rest });
        expect([isError, text]).toEqual([true, expect.stringContaining("link")]);
        expect(text).not.toContain(outside.journal);
      }
    }
    expect((await call("memory_list", {})).text).toBe("the memory is empty");
    expect(readdirSync(outside.journal)).toEqual(["secret.md"]);
  });

  test("to the memory itself that is a link is none", async () => {
    symlinkSync(outside.journal, at());
    expect((await call("memory_read", { path: "secret.md" })).isError).toBe(true);
    expect((await call("memory_list", {})).text).toBe("the memory is empty");
    expect((await call("memory_write", { path: "new.md", content: "x" })).isError).toBe(true);
    rmSync(at());
  });

  test("to a pipe or folder hangs nobody", async () => {
    mkdirSync(at("folder.md"), { recursive: true });
    execFileSync("mkfifo", [at("pipe.md")]);
    for (const path of ["pipe.md", "folder.md"]) {
      expect(await call("memory_read", { path })).toMatchObject({ isError: true });
      expect(await call("memory_write", { path, content: "x" })).toMatchObject({ isError: true });
      expect(await call("memory_append", { path, entry: "x" })).toMatchObject({ isError: true });
    }
    expect((await call("memory_list", {})).text).toBe("the memory is empty");
  });
});

test("sizes are bounded: of a file, of what is read of it, and of how many there are", async () => {
  const mebibyte = "x".repeat(1024 * 1024);
  expect(await call("memory_write", { path: "a.md", content: mebibyte })).toMatchObject({ isError: false });
  expect((await call("memory_write", { path: "b.md", content: `${mebibyte}x` })).text).toContain(
    "content: expected at most",
  );
  // Fewer characters, and too many bytes.
  expect((await call("memory_write", { path: "b.md", content: "€".repeat(400_000) })).text).toContain(
    "begin another file",
  );
  expect((await call("memory_append", { path: "a.md", entry: "x" })).text).toContain("begin another file");
  expect(textOf("a.md")).toBe(mebibyte);
  expect((await call("memory_read", { path: "a.md" })).text.length).toBeLessThan(40_000);
  for (let index = 1; index < maxMemoryFiles; index++) put(`many/${index}.md`, "x");
  expect((await call("memory_write", { path: "new.md", content: "x" })).text).toContain("1000 files already");
  expect(await call("memory_append", { path: "many/1.md", entry: "x" })).toMatchObject({ isError: false });
  put("many/more.md", "x");
  const { text } = await call("memory_list", {});
  expect(text.split("\n")).toHaveLength(maxMemoryFiles);
});

test("what isn't there, or is not text, is an error that says what to do", async () => {
  expect((await call("memory_read", { path: "none.md" })).text).toContain("memory_list gives the files");
  expect((await call("memory_patch", { path: "none.md", old_str: "a", new_str: "b" })).text).toContain(
    "does not exist",
  );
  put("bytes.md", "a\0b");
  expect((await call("memory_append", { path: "bytes.md", entry: "x" })).text).toContain("not UTF-8 text");
  expect((await call("memory_append", { path: "a.md", entry: " \n" })).text).toContain("expected text, not blank");
  expect((await call("memory_append", { path: "a.md", entry: "x", summary: "a\nb" })).text).toContain(
    "expected one line",
  );
});
