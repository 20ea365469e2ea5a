import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { storeAttachment } from "../../../files/attachment-store.ts";
import { pdf, png } from "../../support/files/sample-files.ts";
import { commandsToken } from "../../../journal/access/tokens.ts";
import { packs } from "../../../protocol/settings/packs.ts";
import { AgentsService, callAs } from "../agents-service.ts";
import { callTool, connect, makeJournal } from "../tools-server.ts";

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

test("an image, a PDF or sound is shown as it is, by its content, and so is a file of the conversation", async () => {
  const read = async (path: string) => {
    const { content } = CallToolResultSchema.parse(await client.callTool({ name: "read", arguments: { path } }));
    return content;
  };
  put("photo.txt", png());
  put("plan.pdf", pdf());
  const image = { type: "image", mimeType: "image/png", data: png().toString("base64") };
  expect(await read("photo.txt")).toEqual([{ type: "text", text: "photo.txt (image/png)" }, image]);
  expect(await read("plan.pdf")).toMatchObject([
    { type: "text" },
    { type: "resource", resource: { mimeType: "application/pdf", blob: pdf().toString("base64") } },
  ]);
  const rules = { maxBytes: 1_000_000, kinds: ["*"] };
  onTestFinished(() => rmSync(join(service.journal, "attachments"), { recursive: true }));
  const store = (name: string, content: Buffer) =>
    storeAttachment(join(service.journal, "attachments"), name, [content], rules);
  const [photo, list] = [await store("a.png", png()), await store("list.txt", Buffer.from("one\ntwo\n"))];
  expect(await read(`attachment:${photo.id}`)).toEqual([{ type: "text", text: "a.png (image/png)" }, image]);
  expect((await call("read", { path: `attachment:${list.id}`, from: 2 })).text).toBe("two");
  const archive = await store("a.zip", Buffer.from("PK\u0003\u0004", "latin1"));
  expect(await call("read", { path: `attachment:${archive.id}` })).toMatchObject({ isError: true });
  for (const path of [`attachment:${"0".repeat(64)}`, "attachment:../../cortex.json"])
    expect(await call("read", { path })).toMatchObject({ isError: true });
});

test("a file is shown as far as the settings take files of its size and kind", async () => {
  const settings = join(service.journal, "cortex.json");
  onTestFinished(() => {
    rmSync(join(service.journal, "attachments"), { recursive: true });
    rmSync(settings, { force: true });
  });
  put("photo.png", png());
  put("a.txt", "text\n");
  const rules = { maxBytes: 1_000_000, kinds: ["*"] };
  const { id } = await storeAttachment(join(service.journal, "attachments"), "photo.png", [png()], rules);
  for (const [attachments, why] of [
    [{ kinds: ["application/pdf"] }, "its kind isn't taken (image/png): the setting attachments.kinds"],
    [{ max_mb: 0.00001 }, "it is larger than 0.00001 MiB (the setting attachments.max_mb)"],
  ] as const) {
    writeFileSync(settings, JSON.stringify({ attachments }));
    for (const path of ["photo.png", `attachment:${id}`])
      expect(await call("read", { path })).toMatchObject({ isError: true, text: expect.stringContaining(why) });
    expect(await call("read", { path: "a.txt" })).toEqual({ text: "text", isError: false });
  }
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

describe("what makes programs run code, and what is cortex's own", () => {
  /** Tries to write, and to edit what is there. */
  const refusal = async (path: string) => {
    const before = existsSync(resolve(work, path)) ? readFileSync(resolve(work, path), "utf8") : null;
    const { text, isError } = await call("write", { path, content: "x" });
    const edit = await call("edit", { path, old_str: before ?? "x", new_str: "y" });
    expect([path, isError, edit.isError]).toEqual([path, true, true]);
    expect(existsSync(resolve(work, path)) ? readFileSync(resolve(work, path), "utf8") : null).toBe(before);
    return text;
  };

  test("can't be written: git's files, by whatever name, and names with a dot", async () => {
    execFileSync("git", ["init", "-q", work]);
    execFileSync("git", ["init", "-q", "--bare", join(work, "bare")]);
    put("real/.git/config", "");
    put(".bashrc", "alias a=b\n");
    symlinkSync(".git", join(work, "link"));
    symlinkSync(".git/config", join(work, "config-link"));
    for (const path of [
      ".git/config",
      ".GIT/config",
      ".Git/hooks/pre-commit",
      "link/config",
      "config-link",
      "deep/er/.git/config",
      "real/.git/config",
      "x/../.git/config",
      join(work, ".git/config"),
      "sub/.g\u{200c}it/config",
      "git~1/config",
      "bare/config",
      "bare/hooks/post-update",
      "new/HEAD",
      "linked-tree/.git",
      ".bashrc",
      ".envrc",
      "deep/.vscode/tasks.json",
      ".gitattributes",
    ])
      expect(await refusal(path)).toMatch(/can't be written by any agent|control characters/);
    const marked = join(outside.journal, "monitor-ran");
    const fsmonitor = `[core]\n\tfsmonitor = "touch ${marked}; false"\n`;
    for (const path of [".git/config", "link/config", "bare/config"]) await call("write", { path, content: fsmonitor });
    execFileSync("git", ["-C", work, "status"], { stdio: "ignore" });
    expect(existsSync(marked)).toBe(false);
    expect((await call("write", { path: "src/git.ts", content: "x" })).isError).toBe(false);
    expect((await call("read", { path: ".bashrc" })).text).toBe("alias a=b");
  });

  test("no permission of a folder goes for them, but one of a file with a dot does", async () => {
    const folder = join(outside.journal, "project");
    service.context.may_write = [folder, join(outside.journal, ".profile"), join(folder, "sub/.git")];
    for (const path of [".git/config", "sub/.git/config", ".npmrc"]) await refusal(join(folder, path));
    expect((await call("write", { path: join(outside.journal, ".profile"), content: "x" })).isError).toBe(false);
    expect((await call("write", { path: join(folder, "a.txt"), content: "x" })).isError).toBe(false);
  });

  const guarded = [
    "cortex.json",
    "Cortex.JSON",
    "personas/main.txt",
    "PERSONAS/main.json",
    "per\u{17f}onas/x.txt",
    "apps/mine/tool.ts",
    "skills/s/SKILL.md",
    ".run/endpoints.json",
    ".RUN/x",
    ".state/secrets/x",
    "runs/20250109/1736380800000.jsonl",
    `agents/other/history.jsonl`,
    `attachments/00/${"0".repeat(64)}`,
  ];

  test.each([
    ["is the work folder", "."],
    ["contains it", "20250109"],
    ["lies in it", ".."],
  ])("a journal's own files can't be written where the journal %s", async (_, folder) => {
    const { journal } = service;
    const former = service.context.work_folder;
    onTestFinished(() => {
      work = service.context.work_folder = former;
    });
    work = service.context.work_folder = resolve(journal, folder);
    service.context.may_write = [journal];
    mkdirSync(join(journal, "personas"), { recursive: true });
    rmSync(join(journal, "linked"), { force: true });
    symlinkSync(join(journal, "personas"), join(journal, "linked"));
    for (const path of [...guarded, "linked/main.txt"]) await refusal(join(journal, path));
    for (const path of ["20250109/notes.md", "facets/garden/todos/20250109.md"])
      expect((await call("write", { path: join(journal, path), content: path })).isError).toBe(false);
  });

  test("a journal's secrets can't be read where it is the work folder", async () => {
    const { journal } = service;
    const former = service.context.work_folder;
    onTestFinished(() => {
      service.context.work_folder = former;
    });
    service.context.work_folder = journal;
    writeFileSync(join(journal, "webhook-secret"), "hunter2");
    writeFileSync(join(journal, "note.md"), "hunter2");
    for (const path of [".run/bus.json", ".run", ".state", "cortex.json", "webhook-secret"])
      for (const [name, args] of [
        ["read", { path }],
        ["grep", { pattern: ".", path }],
      ] as const)
        expect(await call(name, args)).toMatchObject({
          isError: true,
          text: expect.stringContaining("keys and passwords"),
        });
    expect((await call("grep", { pattern: "hunter2" })).text).toBe("note.md:1: hunter2");
    expect((await call("glob", { pattern: ".run/**" })).text).toBe("nothing found");
  });
});

test("pipes, devices and folders hang nobody, and what is not text is left alone", async () => {
  put("bytes", Buffer.from([1, 0, 2]));
  mkdirSync(join(work, "folder"));
  execFileSync("mkfifo", [join(work, "pipe")]);
  for (const path of ["pipe", "folder", "."]) {
    expect(await call("read", { path })).toMatchObject({ isError: true });
    expect(await call("write", { path, content: "x" })).toMatchObject({ isError: true });
    expect(await call("edit", { path, old_str: "x", new_str: "y" })).toMatchObject({ isError: true });
  }
  expect((await call("read", { path: "bytes" })).text).toContain("not a text file");
  expect((await call("write", { path: "bytes", content: "x" })).text).toContain("not UTF-8 text");
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
      text: expect.stringContaining("grep: pattern: error parsing regexp: missing closing )"),
    });
    expect(await call("grep", { pattern: "a", path: "none" })).toMatchObject({ isError: true });
  });

  test("a pattern that backtracks for ever elsewhere finds its lines", async () => {
    put("long.txt", `${"a".repeat(3_000)}!\n${"a".repeat(3_000)}\n`);
    expect((await call("grep", { pattern: "^(a+)+$", path: "long.txt" })).text).toMatch(/^long\.txt:2: a+…$/);
    expect((await call("grep", { pattern: "^(a+)+!$", path: "long.txt" })).text).toMatch(/^long\.txt:1: a+…$/);
  });
});

describe("save", () => {
  const day = "20250107";
  const saved = (path: string) => readFileSync(join(service.journal, day, path));
  const attachments = () => join(service.journal, "attachments");
  const refused = (text: string) => ({ isError: true, text: expect.stringContaining(text) });

  afterEach(() => {
    for (const folder of [join(service.journal, day), attachments()]) rmSync(folder, { recursive: true, force: true });
    rmSync(join(service.journal, "cortex.json"), { force: true });
  });

  test("a binary of the work folder or of the conversation stands in the journal as it is, once over a retry", async () => {
    put("plot.png", png());
    const args = { path: "plot.png", as: "trip/map.png", day };
    const done = `${day}/trip/map.png: saved (image/png, ${png().length} bytes)`;
    for (const _ of ["a call", "the same again"])
      expect(await callAs(client, "save-1", "save", args)).toEqual({ text: done, isError: false });
    expect(saved("trip/map.png").equals(png())).toBe(true);
    expect(readdirSync(join(service.journal, day))).toEqual(["trip"]); // nothing in .former
    const rules = { maxBytes: 1_000_000, kinds: ["*"] };
    const { id } = await storeAttachment(attachments(), "plan.pdf", [pdf()], rules);
    expect((await call("save", { id, day })).text).toContain(`${day}/plan.pdf: saved (application/pdf`);
    expect(saved("plan.pdf").equals(pdf())).toBe(true);
    // A new version takes the place of what a run has saved, which is kept.
    put("plot.png", png(9, 9));
    expect((await call("save", args)).text).toContain("saved");
    expect(saved("trip/map.png").equals(png(9, 9))).toBe(true);
    expect(saved(".former/trip/map.png").equals(png())).toBe(true);
  });

  test("a file of the conversation goes into the work folder, over nothing that is there and never out of it", async () => {
    const rules = { maxBytes: 1_000_000, kinds: ["*"] };
    const zip = Buffer.from("PK\x03\x04\0\0", "latin1");
    const { id } = await storeAttachment(attachments(), "data.zip", [zip], rules);
    expect(await call("read", { path: `attachment:${id}` })).toMatchObject(refused("With save it goes into the work"));
    for (const _ of ["a call", "the same again"])
      expect(await call("save", { id, into: "folder", as: "in/data.zip" })).toEqual({
        text: "in/data.zip: saved (application/zip, 6 bytes)",
        isError: false,
      });
    expect(readFileSync(join(work, "in/data.zip"))).toEqual(zip);
    expect(readdirSync(join(work, "in"))).toEqual(["data.zip"]);
    put("taken.bin", "mine");
    symlinkSync(service.journal, join(work, "out"));
    for (const [as, why] of [
      ["taken.bin", "is there already, and stays as it is"],
      ["out/data.zip", "is outside of the work folder"],
      ["../data.zip", "expected a file name"],
    ] as const)
      expect(await call("save", { id, into: "folder", as })).toMatchObject(refused(why));
    expect(readFileSync(join(work, "taken.bin"), "utf8")).toBe("mine");
    rmSync(join(work, "out"));
  });

  test("what somebody else has put there stays, and with save_conflict a retry finds its own name beside it", async () => {
    put("plot.png", png());
    mkdirSync(join(service.journal, day));
    writeFileSync(join(service.journal, day, "plot.png"), "by hand");
    expect(await call("save", { path: "plot.png", day })).toMatchObject(refused("isn't what a run has saved there"));
    writeFileSync(join(service.journal, "cortex.json"), JSON.stringify({ save_conflict: "beside" }));
    for (const _ of ["a call", "the same again"])
      expect((await callAs(client, "save-2", "save", { path: "plot.png", day })).text).toContain(`${day}/plot-2.png`);
    expect(readdirSync(join(service.journal, day)).toSorted()).toEqual(["plot-2.png", "plot.png"]);
    expect(saved("plot.png").toString()).toBe("by hand");
  });

  test("only files of the work folder are taken, of the kinds and sizes of the settings, to names below the day", async () => {
    writeFileSync(join(service.journal, "notes.txt"), "the user's");
    put("inside.txt", "x");
    symlinkSync(join(service.journal, "notes.txt"), join(work, "led-away"));
    execFileSync("mkfifo", [join(work, "pipe")]);
    for (const path of ["../../../notes.txt", join(service.journal, "notes.txt"), "led-away"])
      expect(await call("save", { path, day })).toMatchObject(refused("it isn't in the work folder"));
    expect(await call("save", { path: "pipe", day })).toMatchObject(refused("it isn't a file"));
    expect(await call("save", { id: "0".repeat(64), day })).toMatchObject(refused("nothing is stored under that id"));
    for (const as of ["../up.txt", ".hidden", "a/../../b"])
      expect(await call("save", { path: "inside.txt", as, day })).toMatchObject(refused("expected a file name"));
    for (const args of [{}, { path: "inside.txt", id: "0".repeat(64) }])
      expect(await call("save", args)).toMatchObject(refused("give either path or id, not both"));
    writeFileSync(
      join(service.journal, "cortex.json"),
      JSON.stringify({ attachments: { max_mb: 1, kinds: ["image/*"] } }),
    );
    expect(await call("save", { path: "inside.txt", day })).toMatchObject(refused("its kind isn't taken (text/plain)"));
    put("large.png", Buffer.concat([png(), Buffer.alloc(1024 * 1024)]));
    expect(await call("save", { path: "large.png", day })).toMatchObject(refused("it is larger than 1 MiB"));
    expect(existsSync(join(service.journal, day))).toBe(false);
  });
});

describe("who has not the tool, or is not an agent", () => {
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
      ["save", { path: "a.txt" }],
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
