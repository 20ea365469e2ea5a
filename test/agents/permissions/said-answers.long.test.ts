/** A question that an owner answers in words, in a channel that has nothing else for it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { AgentsSystem, type Mind } from "../agents-system.ts";

const system = await AgentsSystem.start({
  agents: { join_window_ms: 0, owners: ["alpha:owner", "alpha:second"], binding: "perChannel" },
  permissions: [{ tool: "memory_append", decide: "ask" }],
});
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");

const gardener =
  (text: string): Mind =>
  ({ results: [result] }) =>
    result
      ? { text: `I was told: ${result.text}` }
      : { calls: [{ tool: "memory_append", args: { path: "garden.md", entry: text } }] };

const timesAdded = (text: string) => {
  const path = join(system.journal, "memory/garden.md");
  return existsSync(path) ? readFileSync(path, "utf8").split(text).length - 1 : 0;
};
/** Has an agent asked about its call, and returns how the question's id begins. */
async function questionAbout(channelId: string): Promise<string> {
  system.think(channelId, gardener(channelId));
  await alpha.say(channelId, { channelId });
  const { text } = await system.until(
    () => alpha.replies.find(({ id, channel }) => id.startsWith("permission-") && channel.channelId === channelId),
    `${channelId}: it is asked`,
  );
  return /Answer: allow (\w{8}), or deny \1$/m.exec(text)?.[1] ?? "";
}
const answered = (id: string) =>
  system.until(() => alpha.replies.find((one) => one.id === `said-${id}`)?.text, `${id} is answered`);

test("the call is made once an owner says so, and whoever comes second hears that it was decided", async () => {
  const question = await questionAbout("tulip");
  const said = `Allow ${question}`;
  expect(await answered(await alpha.say(said, { channelId: "tulip" }))).toBe("Allowed: memory_append.");
  await system.turns(await system.main("tulip"), 1);
  expect(timesAdded("tulip")).toBe(1);
  const late = await alpha.say(`deny ${question}`, { channelId: "tulip", userId: "second" });
  expect(await answered(late)).toBe("This was decided before: allowed by alpha:owner.");
});

test("a denial may have a reason, which the model reads", async () => {
  const question = await questionAbout("crocus");
  const id = await alpha.say(`deny ${question} not in winter`, { channelId: "crocus" });
  expect(await answered(id)).toBe("Denied: memory_append.");
  await system.turns(await system.main("crocus"), 1);
  expect(timesAdded("crocus")).toBe(0);
  expect(system.askedOf("crocus").at(-1)?.results[0]?.text).toContain("not in winter");
});

test("a stranger's answer is a message like any other, and so is one to no question", async () => {
  const question = await questionAbout("poppy");
  system.think("allow", () => ({ text: "Hm." }));
  const stranger = { channelId: "poppy", userId: "eve" };
  await alpha.say(`allow ${question}`, stranger);
  await system.turns(await system.agentOf({ type: "alpha", ...stranger }), 1);
  await alpha.say("allow everything", { channelId: "anybody" });
  await system.turns(await system.main("anybody"), 1);
  expect(timesAdded("poppy")).toBe(0);
  await answered(await alpha.say(`deny ${question}`, { channelId: "poppy" }));
});
