import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { activeFile, endedFile } from "../../../journal/runs/run-files.ts";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import { connect, makeJournal, startTools, type ToolsServer } from "../tools-server.ts";

const folder = makeJournal("example");
const { journal } = folder;
let server: ToolsServer;
let user: Client & AsyncDisposable;
let run: Client & AsyncDisposable;

const request = (id: string) =>
  `${JSON.stringify({ event: "request", ts: Number(id), agent_id: id, seq: 1, prompt: "Why?" })}\n`;
const [ended, active, packed] = ["1736380800000", "1736380800001", "1736380800002"];

beforeAll(async () => {
  mkdirSync(join(journal, "runs/20250109"), { recursive: true });
  writeFileSync(endedFile(journal, ended), request(ended));
  writeFileSync(activeFile(journal, active), `${request(active)}{"event":"te`);
  writeFileSync(`${endedFile(journal, packed)}.gz`, gzipSync(request(packed)));
  writeFileSync(join(journal, "20250106/plan.png"), Buffer.from([0x89, 0x50, 0, 0xff]));
  writeFileSync(join(journal, "20250106/large.txt"), "x".repeat(5 * 1024 * 1024));
  symlinkSync("/etc/passwd", join(journal, "20250106/link.txt"));
  server = await startTools(journal);
  user = await connect(server.url, await commandsToken(journal));
  run = await connect(server.url, await issueToken(journal, "1736380800009", ["get_resource"]));
});
afterAll(async () => {
  await user[Symbol.asyncDispose]();
  await run[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function read(client: Client, uri: string) {
  const { contents } = await client.readResource({ uri });
  return contents[0];
}

const urisOf = async (client: Client) => (await client.listResources()).resources.map(({ uri }) => uri);

describe("what is listed", () => {
  test("facets, then days and runs, the newest first", async () => {
    const { resources, nextCursor } = await user.listResources();
    expect(nextCursor).toBeUndefined();
    expect(resources.slice(0, 4)).toMatchObject([
      { uri: "journal://facets/garden", name: "garden", title: "Garden and house", mimeType: "text/markdown" },
      { uri: "journal://facets/harbor" },
      { uri: "journal://facets/music" },
      { uri: "journal://20250119", name: "20250119" },
    ]);
    expect(resources.slice(-3)).toMatchObject([
      { uri: `journal://runs/${packed}` },
      { uri: `journal://runs/${active}`, description: "default, running: Why?" },
      { uri: `journal://runs/${ended}`, name: ended, mimeType: "application/jsonl" },
    ]);
  });

  test("page by page, which what is new doesn't shift", async () => {
    using many = makeJournal();
    await using own = await startTools(many.journal);
    const day = (n: number) => String(20240101 + Math.floor(n / 28) * 100 + (n % 28));
    for (let n = 0; n < 250; n++) mkdirSync(join(many.journal, day(n)));
    await using client = await connect(own.url, await commandsToken(many.journal));
    const first = await client.listResources();
    expect(first.resources).toHaveLength(100);
    mkdirSync(join(many.journal, "20250101"));
    const second = await client.listResources({ cursor: first.nextCursor });
    const third = await client.listResources({ cursor: second.nextCursor });
    expect(third.nextCursor).toBeUndefined();
    const all = [first, second, third].flatMap(({ resources }) => resources.map(({ name }) => name));
    expect(all).toEqual(Array.from({ length: 250 }, (_, n) => day(249 - n)));
  });

  test("a cursor of nobody's is refused", async () => {
    for (const cursor of ["", "x", "journal://cortex.json", "journal://20250109/notes.md"])
      await expect(user.listResources({ cursor })).rejects.toMatchObject({ code: -32602 });
  });

  test("templates for days, facets, their files, and runs", async () => {
    const { resourceTemplates } = await user.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "journal://{day}",
      "journal://{day}/{+path}",
      "journal://facets/{facet}",
      "journal://facets/{facet}/{+path}",
      "journal://runs/{agent_id}",
    ]);
  });
});

describe("what is read", () => {
  test("a day is a page with the events of all facets and links to its files", async () => {
    const page = await read(user, "journal://20250107");
    expect(page).toMatchObject({ uri: "journal://20250107", mimeType: "text/markdown" });
    expect(page).toHaveProperty("text", expect.stringContaining("# 20250107"));
    expect(page).toHaveProperty("text", expect.stringMatching(/^- garden: .+/m));
    expect(page).toHaveProperty("text", expect.stringContaining("](journal://20250107/"));
    // Days that were only planned for have a page as well.
    expect(await read(user, "journal://20250201")).toHaveProperty("text", expect.stringContaining("(planned)"));
  });

  test("a facet is a page with its people and things and links to its files", async () => {
    const page = await read(user, "journal://facets/garden");
    expect(page).toHaveProperty("text", expect.stringContaining("# Garden and house"));
    expect(page).toHaveProperty("text", expect.stringContaining("](journal://facets/garden/news/20250119.md)"));
  });

  test("every link of a page can be read", async () => {
    for (const uri of ["journal://20250106", "journal://facets/garden"]) {
      const page = await read(user, uri);
      const links = String(page && "text" in page ? page.text : "").matchAll(/\]\((journal:[^)]+)\)/g);
      const readable = [...links].map(([, link = ""]) => link).filter((link) => !/large|link\.txt/.test(link));
      expect(readable.length).toBeGreaterThan(1);
      for (const link of readable) expect(await read(user, link)).toMatchObject({ uri: link });
    }
  });

  test("a file is text, or bytes where it isn't", async () => {
    expect(await read(user, "journal://20250106/notes.md")).toMatchObject({ mimeType: "text/markdown" });
    expect(await read(user, "journal://20250106/plan.png")).toEqual({
      uri: "journal://20250106/plan.png",
      mimeType: "image/png",
      blob: Buffer.from([0x89, 0x50, 0, 0xff]).toString("base64"),
    });
  });

  test("a run is its lines, whole ones, compressed or not", async () => {
    for (const id of [ended, active, packed])
      expect(await read(user, `journal://runs/${id}`)).toEqual({
        uri: `journal://runs/${id}`,
        mimeType: "application/jsonl",
        text: request(id),
      });
  });

  test.each([
    ["journal://runs/1736380899999", "no run 1736380899999"],
    ["journal://20240101", "nothing of the day 20240101"],
    ["journal://facets/kitchen", "the facets are garden"],
    ["journal://20250106/gone.md", "does not exist"],
    ["journal://20250106/large.txt", "more than the 4194304 bytes"],
    ["journal://20250106/link.txt", "can't be seen"],
    ["journal://20250106/..%2F..%2Fcortex.json", "can't be seen"],
    ["journal://20250106/../.run/commands-token", "can't be seen"],
    ["journal://.run/commands-token", "expected one of journal://{day}"],
    ["journal://cortex.json", "expected one of"],
    ["file:///etc/passwd", "expected one of"],
  ])("%s is not found, and it is said why", async (uri, why) => {
    await expect(read(user, uri)).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(why) });
  });
});

describe("what a run may see", () => {
  test("days and facets, if it has get_resource; no run, not even its own", async () => {
    expect(await read(run, "journal://20250106/notes.md")).toHaveProperty("text");
    const uris = await urisOf(run);
    expect(uris).toContain("journal://20250106");
    expect(uris.filter((uri) => uri.startsWith("journal://runs"))).toEqual([]);
    const { resourceTemplates } = await run.listResourceTemplates();
    expect(resourceTemplates.map(({ name }) => name)).not.toContain("run");
    for (const id of [ended, "1736380899999"])
      await expect(read(run, `journal://runs/${id}`)).rejects.toMatchObject({ code: -32602 });
  });

  test("a token without get_resource sees no resource", async () => {
    await using other = await connect(server.url, await issueToken(journal, "1736380800008", ["search_journal"]));
    expect(other.getServerCapabilities()).not.toHaveProperty("resources");
    for (const method of ["resources/list", "resources/templates/list"])
      await expect(other.request({ method, params: {} }, z.unknown())).rejects.toMatchObject({ code: -32601 });
  });
});
