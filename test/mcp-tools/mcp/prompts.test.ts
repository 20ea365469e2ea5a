import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import { connect, makeJournal, startTools, type ToolsServer } from "../tools-server.ts";

const folder = makeJournal("example");
const { journal } = folder;
let server: ToolsServer;
let user: Client & AsyncDisposable;

beforeAll(async () => {
  mkdirSync(join(journal, "personas"));
  writeFileSync(join(journal, "personas/plain.txt"), "You are plain.\n");
  writeFileSync(join(journal, "personas/off.txt"), "You are off.\n");
  writeFileSync(join(journal, "personas/off.json"), '{"disabled": true}');
  writeFileSync(join(journal, "personas/broken.txt"), "\n");
  server = await startTools(journal);
  user = await connect(server.url, await commandsToken(journal));
});
afterAll(async () => {
  await user[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

test("each persona that is offered and can be read is a prompt", async () => {
  const { prompts } = await user.listPrompts();
  const names = prompts.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["default", "reviewer", "daily-digest", "plain"]));
  expect(names).not.toContain("off");
  expect(names).not.toContain("broken");
  expect(prompts.find(({ name }) => name === "facet-newsletter")).toMatchObject({
    title: "Facet newsletter",
    description: "What is new in each facet that was active yesterday.",
    arguments: [{ name: "prompt" }, { name: "facet", required: true }, { name: "day", required: true }],
  });
  expect(prompts.find(({ name }) => name === "plain")).toMatchObject({
    title: "plain",
    description: 'The persona "plain".',
  });
});

test("a prompt is the persona's instructions, and what was asked", async () => {
  expect(await user.getPrompt({ name: "plain" })).toMatchObject({
    messages: [{ role: "user", content: { type: "text", text: "You are plain." } }],
  });
  const { messages } = await user.getPrompt({ name: "plain", arguments: { prompt: "What next?" } });
  expect(messages).toEqual([{ role: "user", content: { type: "text", text: "You are plain.\n\nWhat next?" } }]);
});

test("the facet and the day that it is about come along as pages", async () => {
  const args = { facet: "garden", day: "20250107" };
  const { messages } = await user.getPrompt({ name: "facet-newsletter", arguments: args });
  expect(messages).toMatchObject([
    {
      role: "user",
      content: { type: "resource", resource: { uri: "journal://facets/garden", mimeType: "text/markdown" } },
    },
    { role: "user", content: { type: "resource", resource: { uri: "journal://20250107" } } },
    { role: "user", content: { type: "text", text: expect.stringMatching(/Day: 20250107\nFacet: garden$/) } },
  ]);
});

test.each([
  ["plaiin", {}, 'did you mean "plain"'],
  ["off", {}, "no prompt"],
  ["../default", {}, "no prompt"],
  ["facet-newsletter", { day: "20250107" }, "it needs the argument facet"],
  ["daily-digest", {}, "it needs the argument day"],
  ["plain", { day: "20250230" }, "expected a day"],
  ["plain", { facet: "../x" }, "expected a facet's name"],
  ["plain", { colour: "red" }, "Its arguments are prompt, facet, day"],
])("the prompt %j with %j is refused, and it is said why", async (name, args, why) => {
  const got = user.getPrompt({ name, arguments: args });
  await expect(got).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(why) });
});

test("a facet that isn't there is not found", async () => {
  const got = user.getPrompt({ name: "plain", arguments: { facet: "kitchen" } });
  await expect(got).rejects.toMatchObject({ message: expect.stringContaining("the facets are garden") });
});

test("a run has no prompts: personas are the user's", async () => {
  await using run = await connect(server.url, await issueToken(journal, "1736380800000", ["get_resource"]));
  expect(run.getServerCapabilities()).not.toHaveProperty("prompts");
  await expect(run.listPrompts()).rejects.toMatchObject({ code: -32601 });
});
