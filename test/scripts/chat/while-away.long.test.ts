/** Replies that are sent while no terminal is open: the next one that opens shows them, once, whatever is killed meanwhile. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { publishOutbound } from "../../../bus/agents/channels.ts";
import { publishInbound } from "../../../bus/agents/inbound.ts";
import type { Bus } from "../../../bus/connection/connect.ts";
import { itemIdOf } from "../../../protocol/agents/message-place.ts";
import { AgentsSystem } from "../../agents/agents-system.ts";
import { Terminal } from "../../support/terminal/terminal.ts";
import { runCortex } from "../run-command.ts";

const bin = fileURLToPath(new URL("../../../bin/cortex.js", import.meta.url));
const system = await AgentsSystem.start({ agents: { join_window_ms: 0 } });
afterAll(() => system[Symbol.asyncDispose]());
const here = { type: "cli", channelId: "main" };
const env = { PATH: process.env["PATH"] ?? "", HOME: system.journal, JOURNAL_PATH: system.journal, TERM: "xterm" };

/** The agent replies with what it is told, once it may. */
let mayReply = Promise.resolve();
system.think("say ", async ({ last }) => {
  const word = /say (\S+)$/.exec(last)?.[1];
  if (word === undefined) return { text: "." };
  await mayReply;
  return { calls: [{ tool: "reply", args: { text: word, channelId: "main", channelType: "cli" } }] };
});

let agent = "";
let agents: Bus;
let cli: Bus;

beforeAll(async () => {
  agent = await system.agentOf(here);
  agents = await system.as("agents");
  cli = await system.as("channel-cli");
});

const open = (more: NodeJS.ProcessEnv = {}) => new Terminal([process.execPath, bin, "chat"], { ...env, ...more }, 120);
const countOf = (text: string, part: string) => text.split(part).length - 1;

/** Says something where no terminal is open, and waits until it was thought about: a turn before it may still go on. */
async function sayAway(text: string): Promise<void> {
  const message = { id: `away-${text}`, text: `say ${text}`, channel: here };
  await publishInbound(cli, message);
  await system.told(agent, "turn_ended", ({ items }) => Array.isArray(items) && items.includes(itemIdOf(message)));
}

/** Says something at a terminal, and waits for the reply: what waited was shown before. Returns what the terminal shows. */
async function shownBy(terminal: Terminal, word: string): Promise<string> {
  await terminal.until((text) => text.endsWith("\n>"), "it is there");
  terminal.type(`say ${word}\r`);
  await terminal.until((text) => text.split("\n").includes(word), `the reply ${word}`);
  return terminal.screen.text;
}

async function leave(terminal: Terminal): Promise<void> {
  terminal.type("\u0004");
  expect(await terminal.exited).toBe(0);
}

/** Opens a terminal, and returns what it shows until it has a reply to `word`. */
async function shownAtOpening(word: string): Promise<string> {
  await using terminal = open();
  const text = await shownBy(terminal, word);
  await leave(terminal);
  return text;
}

test("a reply that was sent while no terminal was open is shown by the next one, and by none after it", async () => {
  await sayAway("apple");
  const first = await shownAtOpening("one");
  expect(first).toMatch(/· while you were away: 1 reply\n· just now\n+apple\n/);
  const second = await shownAtOpening("two");
  expect(second).not.toContain("apple");
  expect(second).not.toContain("while you were away");
  // What a terminal has shown as it came doesn't wait for the next one.
  expect(second).not.toMatch(/^one$/m);
});

test("a reply that an exchange has printed isn't shown again, and one that it didn't live to print is", async () => {
  expect(await runCortex(system.journal, ["chat", "say pear"])).toMatchObject({ code: 0, stdout: "pear" });
  const { promise, resolve } = Promise.withResolvers<void>();
  mayReply = promise;
  const before = system.news.length;
  const exchange = execa(process.execPath, [bin, "chat", "say plum"], { env, extendEnv: false, reject: false });
  const { run_id } = await system.until(
    () => system.news.slice(before).find(({ event }) => event === "turn_started"),
    "it is thought about",
  );
  exchange.kill("SIGKILL");
  await exchange;
  resolve();
  await system.told(agent, "turn_ended", (news) => news.run_id === run_id);
  const shown = await shownAtOpening("three");
  expect(shown).toMatch(/while you were away: 1 reply\n.*\n+plum\n/);
  expect(shown).not.toContain("pear");
});

test("a terminal that is killed after it has shown a reply, before that is noted, leaves it to the next one, which is the last", async () => {
  await sayAway("quince");
  const stopped = join(system.journal, "stopped");
  await using killed = open({ CORTEX_STOP_AT: "waiting-replies-shown", CORTEX_STOP_FILE: stopped });
  await killed.until((text) => text.includes("quince"), "it shows the reply");
  const pid = await system.until(() => Number(readIfThere(stopped).split(" ")[0]), "it stands still");
  process.kill(pid, "SIGKILL");
  await killed.exited;
  expect(await shownAtOpening("four")).toMatch(/while you were away: 1 reply\n.*\n+quince\n/);
  expect(await shownAtOpening("five")).not.toContain("quince");
});

test("of two terminals that open at once one shows what waited, and both show what is said from then on", async () => {
  await sayAway("cherry");
  await using left = open();
  await using right = open();
  for (const terminal of [left, right]) await terminal.until((text) => text.endsWith("\n>"), "it is there");
  left.type("say six\r");
  for (const terminal of [left, right])
    await terminal.until((text) => text.split("\n").includes("six"), "both show the reply");
  expect(countOf(left.screen.text, "cherry") + countOf(right.screen.text, "cherry")).toBe(1);
  await leave(left);
  await leave(right);
  expect(await shownAtOpening("seven")).not.toMatch(/cherry|^six$/m);
});

test("the newest 50 of thousands of replies are shown, in order, and it is told how many aren't", async () => {
  for (let at = 1; at <= 3000; at += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, more) =>
        publishOutbound(agents, { id: `many-${at + more}`, text: `nut ${at + more}`, channel: here, agent_id: agent }),
      ),
    );
  const shown = await shownAtOpening("eight");
  expect(shown).toContain(`while you were away: 50 replies; 2,950 before them not shown, see agents/${agent}/history`);
  const nuts = [...shown.matchAll(/^nut \d+$/gm)];
  expect(nuts).toHaveLength(50);
  expect(await shownAtOpening("nine")).not.toContain("nut");
});

test("a store that has dropped its older replies, as it does after a week, leaves those that are there", async () => {
  for (const word of ["old", "young"])
    await publishOutbound(agents, { id: `age-${word}`, text: `a ${word} nut`, channel: here, agent_id: agent });
  const { streams } = await (await system.as("cortex")).manager();
  await streams.purge("CORTEX_OUT_cli", { keep: 1 });
  const shown = await shownAtOpening("ten");
  expect(shown).toContain("while you were away: 1 reply\n");
  expect(shown).toContain("a young nut");
});

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
