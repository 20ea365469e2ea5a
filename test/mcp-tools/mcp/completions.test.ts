import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endedFile } from "../../../journal/runs/run-files.ts";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import { connect, makeJournal, startTools, type ToolsServer } from "../tools-server.ts";

const folder = makeJournal("example");
const { journal } = folder;
let server: ToolsServer;
let user: Client & AsyncDisposable;

const dayFile = { type: "ref/resource", uri: "journal://{day}/{+path}" } as const;
const facetFile = { type: "ref/resource", uri: "journal://facets/{facet}/{+path}" } as const;
const runRef = { type: "ref/resource", uri: "journal://runs/{agent_id}" } as const;
const reviewer = { type: "ref/prompt", name: "reviewer" } as const;

beforeAll(async () => {
  mkdirSync(join(journal, "runs/20250109"), { recursive: true });
  for (let n = 0; n < 150; n++) writeFileSync(endedFile(journal, String(1736380800000 + n)), "");
  server = await startTools(journal);
  user = await connect(server.url, await commandsToken(journal));
});
afterAll(async () => {
  await user[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function complete(
  client: Client,
  ref: Parameters<Client["complete"]>[0]["ref"],
  name: string,
  value: string,
  others = {},
) {
  return (await client.complete({ ref, argument: { name, value }, context: { arguments: others } })).completion;
}

test("days, the newest first, and facets, for prompts as for templates", async () => {
  for (const ref of [dayFile, reviewer]) {
    const { values } = await complete(user, ref, "day", "2025011");
    expect(values.slice(0, 2)).toEqual(["20250119", "20250118"]);
    expect(values.at(-1)).toBe("20250110");
  }
  expect((await complete(user, reviewer, "facet", "")).values).toEqual(["garden", "harbor", "music"]);
  expect((await complete(user, facetFile, "facet", "h")).values).toEqual(["harbor"]);
});

test("the files of the day or facet that was chosen before", async () => {
  expect((await complete(user, dayFile, "path", "no", { day: "20250106" })).values).toEqual(["notes.md"]);
  const { values } = await complete(user, facetFile, "path", "news/", { facet: "garden" });
  expect(values).toEqual(["news/20250119.md"]);
  for (const others of [{}, { day: "20250230" }, { facet: "../.." }, { facet: "kitchen" }, { day: "20240101" }])
    expect((await complete(user, facetFile, "path", "", others)).values).toEqual([]);
});

test("a long list is completed by its first hundred, with their total", async () => {
  const { values, total, hasMore } = await complete(user, runRef, "agent_id", "17363808");
  expect([values.length, values[0], total, hasMore]).toEqual([100, "1736380800149", 150, true]);
});

test("an argument that nothing is known of has no values; a prompt or template that isn't there is refused", async () => {
  expect(await complete(user, reviewer, "prompt", "x")).toEqual({ values: [], total: 0, hasMore: false });
  for (const ref of [
    { type: "ref/prompt", name: "nobody" } as const,
    { type: "ref/resource", uri: "journal://x" } as const,
  ])
    await expect(complete(user, ref, "day", "")).rejects.toMatchObject({ code: -32602 });
});

test("a run completes what it may see, and neither runs nor personas", async () => {
  await using run = await connect(server.url, await issueToken(journal, "1736380900000", ["get_resource"]));
  expect((await complete(run, facetFile, "facet", "g")).values).toEqual(["garden"]);
  expect((await complete(run, runRef, "agent_id", "")).values).toEqual([]);
  await expect(complete(run, reviewer, "day", "")).rejects.toMatchObject({ code: -32602 });
});
