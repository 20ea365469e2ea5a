/** `cortex chat` at a real terminal: pastes, widths, a cortex that goes away, and silence. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { listAgents } from "../../../journal/agents/agent-files.ts";
import { patienceMs } from "../../support/patience.ts";
import { Terminal } from "../../support/terminal/terminal.ts";
import { UpJournal } from "../../supervisor/up-process.ts";
import { runCortex } from "../run-command.ts";

const bin = fileURLToPath(new URL("../../../bin/cortex.js", import.meta.url));
const mute = { command: ["sh", "-c", `read line; echo '{"event":"finish","result":""}'`] };
const journal = new UpJournal({ default_backend: "offline", backends: { mute }, agents: { join_window_ms: 0 } });
cpSync(fileURLToPath(new URL("../../../examples/journal", import.meta.url)), journal.path, {
  recursive: true,
  force: false,
});
mkdirSync(join(journal.path, "personas"));
writeFileSync(join(journal.path, "personas/mute.txt"), "You say nothing.");
writeFileSync(join(journal.path, "personas/mute.json"), '{"backend": "mute"}');
let up = journal.start();
await up.isUp();
afterAll(() => journal[Symbol.asyncDispose]());

function chat(columns: number, ...args: string[]): Terminal {
  const env = { PATH: process.env["PATH"] ?? "", HOME: journal.path, JOURNAL_PATH: journal.path, TERM: "xterm" };
  return new Terminal([process.execPath, bin, "chat", ...args], env, columns);
}

/** All that users said to the agents, in order. */
function said(): string[] {
  const lines = listAgents(journal.path).flatMap((id) =>
    readFileSync(join(journal.path, "agents", id, "history.jsonl"), "utf8")
      .trimEnd()
      .split("\n"),
  );
  const records = lines.map((line) => JSON.parse(line) as { type: string; ts: number; text?: string });
  return records.filter(({ type }) => type === "user").map(({ text = "" }) => text);
}

const countOf = (text: string, part: string) => text.split(part).length - 1;

test("a command may be the first that is typed to an agent", async () => {
  await using terminal = chat(80, "-p", "mute");
  await terminal.until((text) => text.endsWith("\n>"), "it is there");
  terminal.type("/help\r");
  await terminal.until((shown) => shown.includes("/queue: what waits"), "they are listed");
  expect(terminal.screen.text).toContain("/new: begin a new conversation");
  terminal.type("/status\r");
  await terminal.until((shown) => shown.includes("Idle, nothing waits."), "it is told how the agent is");
});

test("a paste of 200 lines is one message, as it is, and no command is carried out", async () => {
  await using terminal = chat(80, "-p", "mute");
  await terminal.until((text) => text.endsWith("\n>"), "it is there");
  const lines = Array.from({ length: 200 }, (_, at) => (at % 3 === 2 ? `/reset ${at}` : `\t  line ${at} 日本 🎉`));
  const text = `/reset\n${lines.join("\n")}\n`;
  terminal.paste(text);
  await terminal.until((shown) => shown.includes("/reset 197⏎"), "the end of it is shown, on one row");
  expect(terminal.screen.lines.at(-1)).toMatch(/^‹ .*⏎$/);
  terminal.type("and\r");
  await terminal.until((shown) => shown.includes("(finished without a reply)"), "it was thought about");
  const [message, ...others] = said();
  expect(others).toEqual([]);
  expect(message?.endsWith(`${text}and`)).toBe(true);
  expect(terminal.screen.text).toContain("/reset 197");
  // When nothing of a paste is left, what is typed is a command again.
  terminal.paste("nothing");
  await terminal.until((shown) => shown.endsWith("> nothing"), "it is shown");
  terminal.type("\u0015/status\r");
  await terminal.until((shown) => shown.includes("nothing waits. "), "it is carried out");
  terminal.type("/usage\r");
  await terminal.until(
    (shown) =>
      /1 message, 0 tokens in, 0 out, [\s\S]* with its tasks\.\s+Context: \d+ of 200000 tokens\.\s+Today: /.test(shown),
    "it is told what the conversation has used",
  );
  terminal.type("/quit\r");
  expect(await terminal.exited).toBe(0);
});

test.each([20, 80, 200])(
  "at %d columns nothing of a reply is wiped, and what was typed leaves nothing behind",
  async (columns) => {
    await using terminal = chat(columns);
    await terminal.until((text) => text.endsWith("\n>"), "it is there");
    const before = terminal.screen.lines.slice(0, -1);
    // In the middle of what is typed: longer than any of the widths.
    const typed = `What about the greenhouse heater? 暖房 🎉👩‍🌾 ${"and so on ".repeat(25)}`;
    for (const [at, width] of [20, 200, 33, 80].entries()) {
      terminal.type(typed.slice((at * typed.length) / 4, ((at + 1) * typed.length) / 4));
      await terminal.until((text) => /\n(>|‹) .+$/.test(text), "it is shown");
      terminal.resize(width);
    }
    terminal.type("!");
    await terminal.until((text) => text.endsWith("so on !"), "its end is shown");
    expect(terminal.screen.lines.slice(0, -1)).toEqual(before);
    terminal.type("\r");
    // In the middle of what is replied.
    await terminal.until((text) => /thinking · |I look for that/.test(text), "it is at work, and says so");
    for (const width of [20, 200, columns]) terminal.resize(width);
    await terminal.until((text) => /fan heater[\s\S]*\n>$/.test(text), "it has replied");
    for (const width of [200, 20, columns]) terminal.resize(width);
    terminal.type("x");
    await terminal.until((text) => text.endsWith("> x") && !/(thinking|not read yet) ·/.test(text), "it takes more");
    const { text, lines } = terminal.screen;
    expect(lines.slice(0, before.length)).toEqual(before);
    expect(countOf(text, `> ${typed}!`)).toBe(1);
    expect(countOf(text, "I look for that in the journal.")).toBe(1);
    expect(lines.filter((line) => /^[>‹]/.test(line))).toHaveLength(2);
    expect(text).toMatch(/\(20250111\/notes\.md:\d+\)/);
  },
);

test("a cortex that goes away is told at once, and what was said meanwhile is answered when it is back", async () => {
  await using terminal = chat(80, "-p", "mute");
  await terminal.until((text) => text.endsWith("\n>"), "it is there");
  expect(await runCortex(journal.path, ["down"])).toMatchObject({ code: 0 });
  await terminal.until((text) => text.includes("· cortex is away; start it: "), "that is told");
  terminal.type("are you there?\r/status\r");
  await terminal.until((text) => text.includes("cortex is away: /status isn't possible now"), "a command can't wait");
  expect(terminal.screen.text).not.toContain("timeout");
  up = journal.start();
  await terminal.until((text) => text.includes("· cortex is back"), "it is back");
  await terminal.until((text) => text.includes("(finished without a reply)"), "it was thought about");
  expect(said().filter((text) => text.endsWith("are you there?"))).toHaveLength(1);
  terminal.type("\u0004");
  expect(await terminal.exited).toBe(0);
});

test("/attach takes a path in quotes, tells how it is used without one, and with a blank before it is a message", async () => {
  writeFileSync(join(journal.path, "a pear.txt"), "ripe");
  await using terminal = chat(80, "-p", "mute");
  await terminal.until((text) => text.endsWith("\n>"), "it is there");
  terminal.type("/attach\r");
  await terminal.until((text) => text.includes("which file? /attach PATH"), "it tells how it is used");
  terminal.type('/attach "~/a pear.txt"\r');
  await terminal.until((text) => text.includes("attached a pear.txt (text/plain, 4 bytes)"), "it is attached");
  terminal.type(" /attach is a word\r");
  const message = () => said().find((text) => text.includes("/attach is a word"));
  await expect.poll(message, { timeout: patienceMs }).toContain("a pear.txt");
  terminal.type("/quit\r");
  expect(await terminal.exited).toBe(0);
});

test("one exchange about which nothing is said tells that as well", async () => {
  const ran = await runCortex(journal.path, ["chat", "-p", "mute", "Hello"]);
  expect(ran).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("(finished without a reply)") });
});
