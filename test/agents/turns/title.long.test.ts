/** Titles of conversations: the first words at once, then a cheap model's, once, whatever is killed; never with the offline backend. */
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { runFiles } from "../../../journal/runs/list-runs.ts";
import { addedSpent, nothingSpent, spentBy } from "../../../protocol/runs/spent.ts";
import { runCortex, runCortexJson } from "../../scripts/run-command.ts";
import { readRun } from "../../support/read-run.ts";
import { UpJournal } from "../../supervisor/up-process.ts";
import { AgentsSystem } from "../agents-system.ts";

const system = await AgentsSystem.start({
  agents: { join_window_ms: 0, owners: ["alpha:owner"], binding: "perChannel", titles: true },
});
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");

/** The name that the model gives, once it may. */
let name: Promise<string> = Promise.resolve('"Tulips\u202e instead of roses"\n\nIt is about tulips.');
// The first: what it is asked to name holds the words of the others.
system.think("Name this conversation", async () => ({ text: await name }));
system.think("tulip", ({ last }) =>
  last === ""
    ? { text: "." }
    : { calls: [{ tool: "reply", args: { text: "Noted.", channelId: /in (\S+)$/.exec(last)?.[1] } }] },
);

const row = async (agent: string) => {
  const { document } = await runCortexJson(system.journal, ["agents", "show", agent]);
  return document["agent"] as { title: string; cost_usd: number; input_tokens: number; messages: number };
};
const isNamed = (agent: string) =>
  system.until(() => {
    const { naming } = system.state(agent);
    return naming !== undefined && naming.request === undefined;
  }, "its model was asked, and has answered");
const titlesAsked = () => system.askedOf("Name this conversation");
const runsOf = (agent: string) =>
  [...runFiles(system.journal)]
    .map(({ agentId }) => readRun(system.journal, agentId)?.events ?? [])
    .filter(([request]) => request?.["agent"] === agent);
const paid = (agent: string) =>
  runsOf(agent)
    .flat()
    .reduce((sum, event) => addedSpent(sum, spentBy(event, sum) ?? nothingSpent), nothingSpent);

test("a conversation is named once, by a cheap model, in one line; what that costs is in its accounts", async () => {
  await alpha.say("plant a tulip in bed", { channelId: "bed" });
  const agent = await system.main("bed");
  await system.turns(agent, 1);
  await isNamed(agent);
  expect(titlesAsked().map(({ body }) => body["model"])).toEqual(["claude-haiku-4-5"]);
  expect(titlesAsked()[0]?.tools).toEqual([]);
  expect((await row(agent)).title).toBe("Tulips instead of roses");
  expect(await row(agent)).toMatchObject({ messages: 2, input_tokens: paid(agent).input_tokens });
  expect((await row(agent)).cost_usd).toBeCloseTo(paid(agent).cost_usd, 9);
  await alpha.say("another tulip in bed", { channelId: "bed" });
  await system.turns(agent, 2);
  expect(titlesAsked()).toHaveLength(1);
  expect(runsOf(agent)).toHaveLength(3);
});

test("a kill -9 while a conversation is named asks once, and counts once; the first words are its title meanwhile", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  name = promise;
  const before = titlesAsked().length;
  await alpha.say("a late tulip in shed", { channelId: "shed" });
  const agent = await system.main("shed");
  await system.until(() => titlesAsked().length > before, "its name is asked for");
  expect((await row(agent)).title).toBe("a late tulip in shed");
  await system.killAgents();
  resolve("Late");
  await system.until(() => system.state(agent).title === "Late", "it is named");
  expect(titlesAsked()).toHaveLength(before + 1);
  expect(await row(agent)).toMatchObject({ input_tokens: paid(agent).input_tokens });
  expect((await row(agent)).cost_usd).toBeCloseTo(paid(agent).cost_usd, 9);
});

test("a name that a model refuses to give leaves the first words, and isn't asked for again", async () => {
  name = Promise.resolve("  ");
  const before = titlesAsked().length;
  for (const turn of [1, 2]) {
    await alpha.say(`tulip ${turn} in yard`, { channelId: "yard" });
    const agent = await system.main("yard");
    await system.turns(agent, turn);
    await isNamed(agent);
    expect((await row(agent)).title).toBe("tulip 1 in yard");
  }
  // A model that says nothing may be asked again within its one run.
  const runs = runsOf(await system.main("yard")).filter(([request]) =>
    String(request?.["prompt"]).includes("Name this"),
  );
  expect(runs).toHaveLength(1);
  expect(titlesAsked().length).toBeGreaterThan(before);
});

test("a conversation with the offline backend is called by its first words, and no run is made for that", async () => {
  await using up = new UpJournal({ default_backend: "offline", agents: { join_window_ms: 0 } });
  cpSync(fileURLToPath(new URL("../../../examples/journal", import.meta.url)), up.path, {
    recursive: true,
    force: false,
  });
  await up.start().isUp();
  expect(await runCortex(up.path, ["chat", "What did we decide about the greenhouse heater?"])).toMatchObject({
    code: 0,
  });
  const { document } = await runCortexJson(up.path, ["agents", "list"]);
  const [agent] = document["agents"] as { agent_id: string; title: string }[];
  expect(agent).toMatchObject({ title: "What did we decide about the greenhouse heater?" });
  const { document: listed } = await runCortexJson(up.path, ["runs", "list", "--agent", agent?.agent_id ?? ""]);
  const prompts = (listed["runs"] as { prompt: string }[]).map(({ prompt }) => prompt);
  expect(prompts.length).toBeGreaterThan(0);
  expect(prompts.filter((prompt) => prompt.includes("Name this"))).toEqual([]);
});
