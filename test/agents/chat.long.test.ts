/** `cortex chat` as people use it: from a pipe, and at a terminal, which is a real one here. */
import { delimiter } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, expect, test } from "vitest";
import { expandTools } from "../../protocol/settings/packs.ts";
import { ownBin } from "../scripts/run-command.ts";
import { AgentsSystem } from "./agents-system.ts";

const system = await AgentsSystem.start(
  // A model calls the same tool until it has heard what was said.
  { loop_limit: 1000 },
  {
    "personas/plain.txt": "You are plain.",
    "personas/plain.json": JSON.stringify({ text_is_reply: true }),
    "personas/friend.txt": "You are a friend.",
    "personas/librarian.txt": "You keep the books.",
    "personas/librarian.json": JSON.stringify({ tools: "journal, web" }),
    "memory/keys.md": "# Keys\n\n> Summary: where the keys are.\n",
    "personas/torn.txt": "You are torn.",
    "personas/torn.json": "[",
  },
);
afterAll(() => system[Symbol.asyncDispose]());
const chat = [fileURLToPath(new URL("../../bin/cortex.js", import.meta.url)), "chat"];
const env = {
  PATH: `${ownBin}${delimiter}${process.env["PATH"]}`,
  HOME: system.journal,
  JOURNAL_PATH: system.journal,
  TERM: "xterm",
};
const agent = await system.agentOf({ type: "cli", channelId: "main" });

const look = { calls: [{ tool: "current_time", args: {} }] };
const reply = (text: string) => ({ calls: [{ tool: "reply", args: { text, channelId: "main", channelType: "cli" } }] });
const inputsOf = (run: string) => system.up.file(run).filter(({ event }) => event === "input");

test("one line from a pipe is one exchange: its replies on stdout", async () => {
  system.think("through a pipe", ({ results }) => (results.length > 0 ? { text: "." } : reply("It came through.")));
  const options = { env, extendEnv: false, input: "through a pipe\n", reject: false } as const;
  const piped = await execa(process.execPath, chat, options);
  expect(piped).toMatchObject({ exitCode: 0, stdout: "It came through." });
  await system.command("agents reset", { agent_id: agent });
});

test("a command is carried out in one exchange as well, also before anything was said", async () => {
  const said = async (text: string) =>
    execa(process.execPath, [...chat, "-p", "librarian", text], {
      env,
      extendEnv: false,
      reject: false,
      stdin: "ignore",
    });
  expect(await said("/status")).toMatchObject({
    exitCode: 0,
    stdout: "Idle, nothing waits. No model has answered yet.",
  });
  expect(await said("/help")).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\/new: [\s\S]+\/help: /) });
  expect(system.askedOf("/help")).toEqual([]);
});

test("another persona is another agent, whom one also reaches by its id", async () => {
  system.think("to a friend", ({ last, results }) =>
    results.length > 0 ? { text: "." } : reply(last.includes("again") ? "Still here." : "Here I am."),
  );
  const said = async (...args: string[]) =>
    execa(process.execPath, [...chat, ...args], { env, extendEnv: false, reject: false, stdin: "ignore" });
  expect(await said("-p", "friend", "to a friend")).toMatchObject({ exitCode: 0, stdout: "Here I am." });
  const friend = await system.until(
    () => system.news.find(({ event, agent_id }) => event === "turn_ended" && agent_id !== agent)?.agent_id,
    "its turn has ended",
  );
  expect(await said("--agent", friend, "again")).toMatchObject({ exitCode: 0, stdout: "Still here." });
  const asked = system.askedOf("to a friend");
  expect(new Set(asked.map((one) => one.system.includes("You are a friend.")))).toEqual(new Set([true]));
  expect(asked.at(-1)?.said).toHaveLength(2);
});

test("a turn that says nothing to anybody is told as such", async () => {
  const cli = await system.channel("cli");
  system.think("think of it", ({ results, last }) =>
    results.length > 0 || last.includes("quietly") ? { text: "Hm." } : reply("I do."),
  );
  const quiet = await cli.say("think of it quietly", { channelId: "main" });
  const loud = await cli.say("think of it loudly", { channelId: "main" });
  const endOf = (id: string) =>
    system.told(agent, "turn_ended", (news) => (news["items"] as string[]).includes(`cli:${id}`));
  expect(await endOf(quiet)).toMatchObject({ ok: true, replies: 0, said_nothing: true });
  const said = await endOf(loud);
  expect(said).toMatchObject({ ok: true, replies: 1 });
  expect(said["said_nothing"]).toBeUndefined();
  await system.command("agents reset", { agent_id: agent });
});

test("plain text is a reply where the persona has it so, unless it has called for one", async () => {
  system.think("in plain text", ({ last, results }) => {
    if (results.length > 0) return { text: "This is my own." };
    return last.includes("by a tool") ? reply("By a tool.") : { text: "  Here you are.  " };
  });
  const say = (text: string) =>
    execa(process.execPath, [...chat, "-p", "plain", text], { env, extendEnv: false, reject: false, stdin: "ignore" });
  expect(await say("in plain text")).toMatchObject({ exitCode: 0, stdout: "Here you are." });
  expect(await say("in plain text, by a tool")).toMatchObject({ exitCode: 0, stdout: "By a tool." });
  const [asked] = system.askedOf("in plain text");
  expect(asked?.system).toContain("Your last text is sent, unchanged, to the person who wrote to you");
  expect(asked?.system).not.toContain("INNER MONOLOGUE");
});

test("the tools of a persona hold: with its voice it has those, and nothing of the memory or of sub-agents", async () => {
  system.think("of the books", ({ results }) => (results.length > 0 ? { text: "." } : reply("They are kept.")));
  const options = { env, extendEnv: false, reject: false, stdin: "ignore" } as const;
  const ended = await execa(process.execPath, [...chat, "-p", "librarian", "of the books"], options);
  expect(ended).toMatchObject({ exitCode: 0, stdout: "They are kept." });
  const [asked] = system.askedOf("of the books");
  const own = expandTools("voice, journal, web").names;
  expect(asked?.tools.toSorted()).toEqual(own.toSorted());
  expect(asked?.system).toContain("You keep the books.");
  expect(asked?.system).not.toMatch(/## Memory|## Reply or delegate|memory_read|spawn_subagent/);
  expect(asked?.said.join()).not.toContain("keys.md");
});

test("chat with a persona that there isn't begins nothing, and says so", async () => {
  const options = { env, extendEnv: false, reject: false } as const;
  const before = await system.command("agents list");
  for (const more of [["hello"], []]) {
    const ended = await execa(process.execPath, [...chat, "-p", "nope", ...more], { ...options, input: "hello" });
    expect(ended).toMatchObject({ exitCode: 3, stdout: "" });
    expect(ended.stderr).toMatch(/There is no persona nope: see (npx )?cortex persona list/);
    expect(ended.stderr).toMatch(/see: (npx )?cortex chat --help/);
  }
  const cli = await system.channel("cli");
  await cli.say("hello", { channelId: "main", metadata: { persona: "nope" } });
  await cli.heard("There is no persona nope: see cortex persona list");
  expect(await system.command("agents list")).toEqual(before);
});

test("chat with a persona whose files can't be read says what is wrong with them", async () => {
  const wrong = `The persona torn can't be read: not JSON`;
  const options = { env, extendEnv: false, reject: false, stdin: "ignore" } as const;
  const ended = await execa(process.execPath, [...chat, "-p", "torn", "hello"], options);
  expect(ended).toMatchObject({ exitCode: 3, stdout: "" });
  expect(ended.stderr).toContain(wrong);
  expect(ended.stderr).toContain(`fix ${system.journal}/personas/torn.json`);
  const cli = await system.channel("cli");
  await cli.say("hello", { channelId: "main", metadata: { persona: "torn" } });
  expect((await cli.heard(/torn/)).text).toContain(wrong);
});

test("chat at a terminal shows tools live, Enter steers, Esc cancels, commands are carried out, Ctrl-D leaves", async () => {
  // It looks again and again, since a terminal listens to a run from the news of it on: of the first calls it may hear nothing.
  system.think("at the terminal", async ({ said, last, results }) => {
    const all = said.join();
    if (results.at(-1)?.tool === "reply") return { text: "." };
    if (last.includes("Write the summary now")) return { text: "They spoke." };
    await delay(50);
    if (all.includes("once more")) return { calls: [{ tool: "task_list", args: {} }] };
    return all.includes("and the rest") ? reply("I have heard both.") : look;
  });
  const python = ["-c", "import pty, sys; pty.spawn(sys.argv[1:])", process.execPath, ...chat];
  await using terminal = Object.assign(execa("python3", python, { env, extendEnv: false, reject: false }), {
    async [Symbol.asyncDispose]() {
      terminal.kill("SIGKILL");
      await terminal;
    },
  });
  let shown = "";
  terminal.stdout.on("data", (data: Buffer) => (shown += data.toString()));
  const type = (keys: string) => terminal.stdin.write(keys);
  await system.until(() => shown.includes(`talking with ${agent}`), "it is open");
  type("at the terminal\r");
  await system.until(() => shown.includes("current_time ✓"), "its tool is shown");
  const { run_id: run = "" } = system.state(agent).turn ?? {};
  type("and the rest\r");
  await system.until(() => inputsOf(run).length === 1, "that is said into the run");
  await system.until(() => shown.includes("I have heard both."), "it is answered");
  const ends = () => system.news.filter(({ event, agent_id }) => event === "turn_ended" && agent_id === agent);
  await system.until(() => ends().at(-1)?.run_id === run, "in that turn");
  expect(ends().at(-1)).toMatchObject({ ok: true, items: [expect.any(String), expect.any(String)] });
  type("once more\r");
  await system.until(() => shown.includes("task_list ✓"), "it is at work again");
  type("\u001b");
  await system.until(() => ends().at(-1)?.run_id !== run, "Esc ends that");
  expect(ends().at(-1)).toMatchObject({ ok: false, reason: "cancelled" });
  const said: [string, string | RegExp][] = [
    ["/stop", "Nothing is running."],
    ["/status", "Idle, nothing waits. Model: "],
    ["/queue", "0 waiting"],
    [
      "/usage",
      /This conversation: \d+ messages, [\d,]+ tokens in, [\d,]+ out, [\s\S]+ with its tasks\.\s+Context: \d+ of \d+ tokens\.\s+Today: \d/,
    ],
    ["/compact", "the conversation goes on from a summary"],
    ["/help", "/attach FILE"],
    ["/reset", "The conversation begins anew."],
    ["/dance", "unknown: /dance"],
  ];
  for (const [command, answer] of said) {
    const from = shown.length;
    const isAnswered = () => {
      const since = shown.slice(from);
      return typeof answer === "string" ? since.includes(answer) : answer.test(since);
    };
    type(`${command}\r`);
    await system.until(isAnswered, `${command} is answered`);
  }
  type("\u0004");
  await terminal;
  expect(shown).toContain("Stopped.");
});
