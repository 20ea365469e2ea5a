import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { commandsToken } from "../../journal/tokens.ts";
import { packs } from "../../protocol/packs.ts";
import { AgentsService, callAs } from "./agents-service.ts";
import { callTool, connect, makeJournal } from "./tools-server.ts";

let service: AgentsService;
let client: Client;
let work: string;
const outside = makeJournal();

beforeAll(async () => {
  service = await AgentsService.start();
  client = await service.client(packs["files"] ?? []);
  work = service.context.work_folder;
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  outside[Symbol.dispose]();
});
beforeEach(() => {
  rmSync(work, { recursive: true, force: true });
  service.context.may_write = [];
});

const call = (name: string, args: Record<string, unknown>) => callTool(client, name, args);
const put = (path: string, text: string | Buffer) => {
  mkdirSync(dirname(join(work, path)), { recursive: true });
  writeFileSync(join(work, path), text);
};
const textOf = (path: string) => readFileSync(join(work, path), "utf8");

test("a file is written, read, edited and listed in a folder that is made for it", async () => {
  expect((await call("ls", {})).text).toBe("(empty)");
  expect((await call("write", { path: "notes/a.txt", content: "one\ntwo\nthree\n" })).text).toBe(
    "notes/a.txt: written",
  );
  expect((await call("read", { path: "notes/a.txt", from: 2, to: 2 })).text).toBe("two");
  expect((await call("read", { path: join(work, "notes/a.txt"), to: 1 })).text).toBe("one");
  expect((await call("edit", { path: "notes/a.txt", old_str: "two\n", new_str: "" })).text).toBe(
    "notes/a.txt:2: changed",
  );
  expect(textOf("notes/a.txt")).toBe("one\nthree\n");
  expect((await call("write", { path: "./b.txt", content: "" })).text).toBe("b.txt: written");
  expect((await call("ls", {})).text).toBe("b.txt (0 bytes)\nnotes/");
  expect((await call("ls", { path: "notes" })).text).toBe("a.txt (10 bytes)");
});

test("an edit needs exactly one match, and says how many there are", async () => {
  put("a.txt", "x x\n");
  expect((await call("edit", { path: "a.txt", old_str: "x", new_str: "y" })).text).toContain("2 matches");
  expect((await call("edit", { path: "a.txt", old_str: "z", new_str: "y" })).text).toContain("0 matches");
  expect((await call("edit", { path: "a.txt", old_str: "x", new_str: "x" })).text).toContain("are the same");
  expect((await call("edit", { path: "none.txt", old_str: "x", new_str: "y" })).text).toContain("does not exist");
  expect(textOf("a.txt")).toBe("x x\n");
});

test("edits at once all count, and a repeated call changes nothing more", async () => {
  put("a.txt", Array.from({ length: 10 }, (_, index) => `<${index}>\n`).join(""));
  const editing = Array.from({ length: 10 }, (_, index) =>
    callAs(client, `e${index}`, "edit", { path: "a.txt", old_str: `<${index}>`, new_str: `<<${index}>>` }),
  );
  const first = await Promise.all(editing);
  expect(textOf("a.txt")).toBe(Array.from({ length: 10 }, (_, index) => `<<${index}>>\n`).join(""));
  expect(await callAs(client, "e3", "edit", { path: "a.txt", old_str: "<3>", new_str: "<<3>>" })).toEqual(first[3]);
  expect(textOf("a.txt")).not.toContain("<<<");
});

describe("outside of the folder", () => {
  const secret = join(outside.journal, "secret.txt");
  beforeAll(() => writeFileSync(secret, "secret\n"));

  test.each([
    ["an absolute path", secret],
    ["..", `../../../../../../../../../..${secret}`],
    ["a link to a file", "file"],
    ["a link to a folder", "folder/secret.txt"],
    ["a link that leads nowhere", "dangling"],
    ["a folder of another agent", "../history.jsonl"],
  ])("by %s nothing is read, found or written", async (_, path) => {
    mkdirSync(work, { recursive: true });
    symlinkSync(secret, join(work, "file"));
    symlinkSync(outside.journal, join(work, "folder"));
    symlinkSync(join(outside.journal, "new.txt"), join(work, "dangling"));
    for (const [name, args] of [
      ["read", { path }],
      ["ls", { path: dirname(path) === "." ? path : dirname(path) }],
      ["grep", { pattern: "secret", path }],
    ] as const) {
      const { text, isError } = await call(name, args);
      expect([name, isError, text]).toEqual([name, true, expect.stringContaining("outside of the work folder")]);
    }
    for (const [name, args] of [
      ["write", { path, content: "x" }],
      ["edit", { path, old_str: "secret", new_str: "x" }],
    ] as const) {
      const { text, isError } = await call(name, args);
      expect([name, isError, text]).toEqual([name, true, expect.stringContaining("ask with request_permission")]);
    }
    expect((await call("grep", { pattern: "secret" })).text).toBe("nothing found");
    expect((await call("glob", { pattern: "**/*" })).text).toBe("nothing found");
    expect((await call("glob", { pattern: "../**" })).text).toBe("nothing found");
    expect(readFileSync(secret, "utf8")).toBe("secret\n");
    expect(existsSync(join(outside.journal, "new.txt"))).toBe(false);
  });

  test("is written what the user has allowed, and no more", async () => {
    const folder = join(outside.journal, "out");
    service.context.may_write = [
      folder,
      join(outside.journal, "one.txt"),
      "relative",
      join(outside.journal, "dangling"),
    ];
    symlinkSync(join(outside.journal, "nowhere"), join(outside.journal, "dangling"));
    const { text } = await call("write", { path: join(folder, "deep/a.txt"), content: "a" });
    expect(text).toBe(`${join(folder, "deep/a.txt")}: written`);
    await call("edit", { path: join(folder, "deep/a.txt"), old_str: "a", new_str: "b" });
    expect(readFileSync(join(folder, "deep/a.txt"), "utf8")).toBe("b");
    await call("write", { path: join(outside.journal, "one.txt"), content: "1" });
    expect(readFileSync(join(outside.journal, "one.txt"), "utf8")).toBe("1");
    symlinkSync(secret, join(folder, "link"));
    for (const path of [
      join(outside.journal, "other.txt"),
      join(outside.journal, "out-not.txt"),
      join(folder, "../other.txt"),
      join(folder, "link"),
    ])
      expect((await call("write", { path, content: "x" })).text).toContain("ask with request_permission");
    expect((await call("read", { path: join(folder, "deep/a.txt") })).text).toContain("outside of the work folder");
    expect(readFileSync(secret, "utf8")).toBe("secret\n");
  });
});

test("pipes, devices and folders hang nobody, and what is no text is left alone", async () => {
  put("bytes", Buffer.from([1, 0, 2]));
  mkdirSync(join(work, "folder"));
  execFileSync("mkfifo", [join(work, "pipe")]);
  for (const path of ["pipe", "folder", "."]) {
    expect(await call("read", { path })).toMatchObject({ isError: true });
    expect(await call("write", { path, content: "x" })).toMatchObject({ isError: true });
    expect(await call("edit", { path, old_str: "x", new_str: "y" })).toMatchObject({ isError: true });
  }
  expect((await call("read", { path: "bytes" })).text).toContain("not a text file");
  expect((await call("write", { path: "bytes", content: "x" })).text).toContain("no text in UTF-8");
  expect((await call("grep", { pattern: "." })).text).toContain("not searched: bytes (no text)");
  expect((await call("ls", {})).text).toBe("bytes (3 bytes)\nfolder/\npipe (other)");
});

test("sizes and names are bounded", async () => {
  expect((await call("write", { path: "a", content: "€".repeat(400_000) })).text).toContain("begin another file");
  expect((await call("write", { path: "n".repeat(300), content: "x" })).text).toContain("ENAMETOOLONG");
  expect((await call("write", { path: "a\nb", content: "x" })).text).toContain("without control characters");
  put("file", "x");
  expect((await call("write", { path: "file/below", content: "x" })).isError).toBe(true);
  put("long.txt", "line of a long file\n".repeat(2_000));
  expect((await call("read", { path: "long.txt" })).text).toMatch(/\[cut after line 500: go on with from: 501\]$/);
  const { text } = await call("grep", { pattern: "line" });
  expect(text).toContain("only the first 200 are shown");
  expect(text.split("\n")).toHaveLength(201);
});

describe("grep and glob", () => {
  beforeEach(() => {
    put("a.ts", "const Ä = 1;\nexport const b = 2;\n");
    put("src/b.ts", "export const c = 3;\r\n");
    put("src/deep/c.md", "# export\n");
    put(".git/config", "export\n");
    put(".hidden/d.md", "export\n");
  });

  test.each<[Record<string, unknown>, string[]]>([
    [{ pattern: "export const \\w = \\d" }, ["a.ts:2: export const b = 2;", "src/b.ts:1: export const c = 3;"]],
    [{ pattern: "3;$" }, ["src/b.ts:1: export const c = 3;"]],
    [{ pattern: "\\p{Lu}" }, ["a.ts:1: const Ä = 1;"]],
    [{ pattern: "export", glob: "*.md" }, [".hidden/d.md:1: export", "src/deep/c.md:1: # export"]],
    [{ pattern: "export", path: "src", glob: "src/*" }, ["src/b.ts:1: export const c = 3;"]],
    [{ pattern: "export", path: "src/deep/c.md" }, ["src/deep/c.md:1: # export"]],
  ])("grep %j", async (args, lines) => {
    expect((await call("grep", args)).text.split("\n")).toEqual(lines);
  });

  test.each<[string, string[]]>([
    ["*.ts", ["a.ts", "src/b.ts"]],
    ["src/**/*.{ts,md}", ["src/b.ts", "src/deep/c.md"]],
    ["./src/*", ["src/b.ts"]],
    ["none.*", ["nothing found"]],
  ])("glob %j", async (pattern, paths) => {
    expect((await call("glob", { pattern })).text.split("\n")).toEqual(paths);
  });

  test("a pattern that can't be read is an error", async () => {
    expect(await call("grep", { pattern: "(a" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("pattern: Invalid regular expression"),
    });
    expect(await call("grep", { pattern: "a", path: "none" })).toMatchObject({ isError: true });
  });

  test("a pattern that would take for ever ends in an error, and others are served meanwhile", async () => {
    put("long.txt", `${"a".repeat(60)}!\n`);
    const order: string[] = [];
    const catastrophe = call("grep", { pattern: "^(a+)+$", path: "long.txt" }).finally(() => order.push("grep"));
    const meanwhile = call("read", { path: "a.ts" }).finally(() => order.push("read"));
    expect(await meanwhile).toMatchObject({ isError: false });
    expect(await catastrophe).toMatchObject({ isError: true, text: expect.stringContaining("needs too long") });
    expect(order).toEqual(["read", "grep"]);
    expect((await call("grep", { pattern: "^(a+)+!$", path: "long.txt" })).isError).toBe(false);
  });
});

describe("who has not the tool, or is no agent", () => {
  test("an explore grant can't write, though it knows the name", async () => {
    const explorer = await service.client(["read", "grep", "glob", "ls", "memory_read", "web_fetch"], "1736380800001");
    const { tools } = await explorer.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    put("a.txt", "a");
    expect((await callTool(explorer, "read", { path: "a.txt" })).text).toBe("a");
    for (const [name, args] of [
      ["write", { path: "a.txt", content: "b" }],
      ["edit", { path: "a.txt", old_str: "a", new_str: "b" }],
      ["memory_write", { path: "a.md", content: "b" }],
      ["reply", { text: "x", channelId: "main" }],
    ] as const)
      expect(await callTool(explorer, name, args)).toMatchObject({
        isError: true,
        text: expect.stringContaining(`no tool "${name}" here`),
      });
    expect(textOf("a.txt")).toBe("a");
  });

  test("the commands have no work folder", async () => {
    await using commands = await connect(service.tools.url, await commandsToken(service.journal));
    expect(await callTool(commands, "ls", {})).toMatchObject({
      isError: true,
      text: expect.stringContaining("only a run of an agent"),
    });
  });
});
