/** A task asks its user whether it may write outside of its folder: once, where they are, and only an owner answers. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { publishCancel } from "../../../bus/runs/control.ts";
import { publishDecision } from "../../../bus/agents/inbound.ts";
import type { OutboundMessage } from "../../../protocol/agents/channel.ts";
import { listQuestions } from "../../../journal/permissions/questions.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { runCortex, runCortexJson } from "../../scripts/run-command.ts";
import { AgentsSystem, type Mind } from "../agents-system.ts";
import { sender } from "../sender.ts";

// Owners speak to one agent, wherever they are.
const agents = { join_window_ms: 0, owners: ["alpha:owner", "beta:owner"], binding: "shared" };
const stop = new StopPoint();
const system = await AgentsSystem.start({ agents }, {}, stop.env);
afterAll(async () => {
  stop[Symbol.dispose]();
  await system[Symbol.asyncDispose]();
});
const alpha = await system.channel("alpha");
const beta = await system.channel("beta");
system.think("[channel: ", sender);
const agent = await system.main("room");
const outside = mkdtempSync(join(tmpdir(), "cortex-outside-"));
afterAll(() => rmSync(outside, { recursive: true, force: true }));

/** Writes to a path, asks when it may not, and writes again when it may. */
function writer(path: string): Mind {
  const write = { calls: [{ tool: "write", args: { path, content: "ink" } }] };
  return ({ last, results: [result] }) => {
    if (last.includes("[Permission allowed]")) return write;
    if (last.includes("[Permission denied]")) return { text: "I was not let." };
    if (!result) return write;
    if (result.tool === "request_permission") return { text: "I wait." };
    if (!result.isError) return { text: "I have written." };
    return { calls: [{ tool: "request_permission", args: { path, reason: "To keep \u202eit." } }] };
  };
}

const resultsOf = (word: string, name: string) =>
  system.askedOf(word).flatMap(({ results }) => results.filter(({ tool }) => tool === name));
const tokenOf = ({ metadata }: OutboundMessage) => (metadata as { permission: { token: string } }).permission.token;
const questionsOf = (agentId: string) => listQuestions(system.journal).filter(({ agent }) => agent === agentId);
const turnsOf = () =>
  new Set(system.history(agent).flatMap((record) => (record.type === "assistant" ? [record.run_id] : []))).size;
const spoken = () =>
  system.systemMessages(agent).map((text) => />(\[[^\]]*\]|[\w ]*)/.exec(text)?.[1]?.replace(/Task \w+/, "Task"));

test("one question where the user is, two silent notices, one answer, whatever is killed or said meanwhile", async () => {
  const path = join(outside, "one.txt");
  const gate = Promise.withResolvers<void>();
  system.think("pen-1", async (conversation) => {
    await gate.promise;
    return writer(path)(conversation);
  });
  await alpha.say("do pen-1");
  const task = await system.task("pen-1");
  await beta.say("I am over here", { channelId: "lounge" });
  await system.until(() => turnsOf() === 2, "that was answered");
  // Whoever isn't an owner is nobody's foreground.
  await alpha.say("And I am here", { channelId: "porch", userId: "mallory" });
  const stranger = await system.agentOf({ type: "alpha", channelId: "porch", userId: "mallory" });
  await system.turns(stranger, 1);
  gate.resolve();

  const prompt = await beta.heard(/^May pen-1 write to /);
  expect(prompt.channel).toMatchObject({ type: "beta", channelId: "lounge" });
  expect(prompt.text).toContain(`${path}? To keep it.\n`);
  const token = tokenOf(prompt);
  const state = () => system.state(task);
  await system.until(() => state().task?.state === "waiting" && state().turn === null, "it waits");
  const refused = resultsOf("pen-1", "write")[0];
  expect(refused?.isError).toBe(true);
  expect(refused?.text).toContain(`ask with request_permission for "${path}"`);
  await system.killAgents();

  const [alphas, betas] = [await system.as("channel-alpha"), await system.as("channel-beta")];
  await publishDecision(betas, token, { decision: "allow", userId: "mallory" });
  await publishDecision(betas, token, { decision: "allow" });
  await publishDecision(alphas, "0".repeat(32), { decision: "allow", userId: "owner" });
  await publishDecision(alphas, token.slice(0, 8), { decision: "allow", userId: "owner" });
  await beta.say(`allow ${token}, perhaps`, { channelId: "lounge" });
  await system.until(() => turnsOf() === 3, "what came before was taken in");
  expect(questionsOf(task)).toEqual([expect.objectContaining({ id: token, write_path: path, why: "To keep it." })]);
  expect(questionsOf(task)[0]?.decision).toBeUndefined();
  expect(state().permissions).toEqual([]);

  await publishDecision(betas, token, { decision: "allow", userId: "owner" });
  await publishDecision(betas, token, { decision: "deny", userId: "owner" });
  await publishDecision(betas, token, { decision: "allow", userId: "owner" });
  await alpha.heard("pen-1 completed:\nI have written.");
  expect(readFileSync(path, "utf8")).toBe("ink");
  expect(state()).toMatchObject({ permissions: [path] });
  expect(questionsOf(task)).toMatchObject([{ decision: "allow", by: "beta:owner" }]);
  await system.until(() => turnsOf() === 4, "its end was thought about");
  // Neither notice had a turn of its own, and the task's wait was no end.
  expect(spoken()).toEqual(["The user was asked", "[Permission allowed]", "[Task completed]"]);
  expect([...alpha.replies, ...beta.replies].filter(({ text }) => text.startsWith("May "))).toHaveLength(1);
  expect(JSON.stringify(system.history(stranger))).not.toContain("pen-1");
});

test("an answer at this machine counts as much, and only the first", async () => {
  const [allowed, denied] = [join(outside, "two.txt"), join(outside, "three.txt")];
  system.think("pen-2", writer(allowed));
  system.think("pen-3", writer(denied));
  const tokens: string[] = [];
  for (const word of ["pen-2", "pen-3"]) {
    await alpha.say(`do ${word}`);
    tokens.push(tokenOf(await alpha.heard(new RegExp(`^May ${word} write`))));
  }
  const [second = "", third = ""] = tokens;
  const { stdout } = await runCortex(system.journal, ["permissions", "list"]);
  expect(stdout).toMatch(new RegExp(`${second.slice(0, 8)} .*request_permission .*two\\.txt`));
  expect(await runCortex(system.journal, ["permissions", "allow", second.slice(0, 8)])).toMatchObject({
    code: 0,
    stdout: "allowed",
  });
  expect(await runCortex(system.journal, ["permissions", "deny", third])).toMatchObject({ code: 0, stdout: "denied" });
  await alpha.heard("pen-2 completed:\nI have written.");
  await alpha.heard("pen-3 completed:\nI was not let.");
  expect(existsSync(denied)).toBe(false);
  const task = await system.task("pen-3");
  expect(await system.told(task, "permission_requested")).toMatchObject({ token: third, path: denied });
  expect(await system.told(task, "permission_decided")).toMatchObject({ token: third, decision: "deny" });
  const late = await runCortex(system.journal, ["permissions", "allow", third]);
  expect(late.code).toBe(3);
  expect(late.stderr).toContain("decided before: deny");
  const { document } = await runCortexJson(system.journal, ["permissions", "list"]);
  expect(document["permissions"]).toEqual([]);
  expect(await runCortex(system.journal, ["permissions", "allow", "ffffffff"])).toMatchObject({ code: 3 });
});

test("the user sees where a path really leads", async () => {
  const ask = (path: string) => ({ tool: "request_permission", args: { path, reason: "x" } });
  system.think("pen-4", ({ results }) =>
    results.length > 0
      ? { text: "I wait." }
      : {
          calls: [
            ask("relative.txt"),
            ask(`${outside}/\u202etxt.evil`),
            ask(`${outside}/a/../../b`),
            ask(`${outside}/link/c`),
          ],
        },
  );
  // It is called a harmless name, and leads elsewhere.
  mkdirSync(join(outside, "secrets"));
  symlinkSync(join(outside, "secrets"), join(outside, "link"));
  await alpha.say("do pen-4");
  const { text } = await alpha.heard(/^May pen-4 write/);
  expect(text).toContain(`write to ${join(outside, "../b")}?`);
  await system.until(() => system.askedOf("pen-4").some(({ results }) => results.length === 4), "it was answered");
  expect(resultsOf("pen-4", "request_permission").map(({ isError }) => isError)).toEqual([true, true, false, false]);
  const asked = await alpha.heard(/^May pen-4 write to .*secrets/);
  expect(asked.text).toContain(`write to ${join(outside, "secrets/c")}?`);
});

test.each([
  ["permission-kept", "pen-5"],
  ["reply-stored", "pen-6"],
] as const)("killed with -9 at “%s”, and with nobody left who would ask again, it asks once", async (point, word) => {
  const path = join(outside, `${word}.txt`);
  system.think(word, writer(path));
  const isQuiet = () => system.history(agent).length === 0 || system.state(agent).turn === null;
  await system.until(isQuiet, "nothing else is said");
  stop.set(point, 1);
  await alpha.say(`do ${word}`);
  await system.until(() => stop.isReached(), point);
  stop.clear();
  const task = await system.task(word);
  const { turn } = system.state(task);
  const asked = questionsOf(task);
  expect(asked).toEqual([expect.objectContaining({ write_path: path })]);
  expect(asked[0]?.is_put).toBeUndefined();
  const sent = () => alpha.replies.filter(({ text }) => text.startsWith(`May ${word} write`));
  expect(sent().length).toBeLessThanOrEqual(point === "permission-kept" ? 0 : 1);
  publishCancel(await system.up.client(), turn?.run_id ?? "");
  await system.until(() => system.up.file(turn?.run_id ?? "").at(-1)?.["reason"] === "cancelled", "its run is over");
  process.kill(system.pidOf("mcp-tools"), "SIGKILL");
  await system.killAgents();
  const prompt = await alpha.heard(new RegExp(`^May ${word} write to .*${word}\\.txt`));
  expect(tokenOf(prompt)).toBe(asked[0]?.id);
  await alpha.heard(`${word} failed:\nit was stopped`);
  await system.until(() => questionsOf(task)[0]?.is_put === true, "that it was asked is noted");
  await system.killAgents();
  await system.restart();
  // It is answered as any other: what came late goes on.
  await publishDecision(await system.as("channel-alpha"), tokenOf(prompt), { decision: "allow", userId: "owner" });
  await alpha.heard(`${word} completed:\nI have written.`);
  expect(readFileSync(path, "utf8")).toBe("ink");
  expect(sent()).toHaveLength(1);
  const told = system.systemMessages(agent).filter((text) => text.includes(`The user was asked: May ${word} `));
  expect(told).toHaveLength(1);
});
