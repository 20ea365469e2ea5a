/** Talking at a terminal: what is typed goes to the agent at once, what it replies stands above the line that is being typed. */
import { createInterface, emitKeypressEvents, type Interface } from "node:readline";
import type { AgentNews } from "../../protocol/agent-event.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import { textField } from "../../protocol/text-field.ts";
import { exitCodes } from "../../protocol/exit-codes.ts";
import { spentText } from "../spent-text.ts";
import { duration, shorten } from "../text.ts";
import type { ChatLink } from "./link.ts";
import { cleaned } from "../../proc/terminal.ts";

const hasColor = process.stdout.isTTY && !process.env["NO_COLOR"];
const dim = (text: string) => (hasColor ? `\u001b[2m${text}\u001b[22m` : text);

/** Talks until Ctrl-D or /quit. Resolves with the exit code. */
export async function talk(link: ChatLink): Promise<number> {
  const leaving = new AbortController();
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: "> " });
  const say = (text: string) => above(lines, text);
  let running: { id: string; since: number; events: Disposable } | null = null;
  await link.onNews((news) => {
    if (news.event === "turn_started" && news.run_id && running?.id !== news.run_id) {
      running?.events[Symbol.dispose]();
      const events = link.onRun(news.run_id, (event) => sayTool(event, say));
      running = { id: news.run_id, since: Date.now(), events };
    }
    if (news.event === "turn_ended" && running) {
      running.events[Symbol.dispose]();
      running = null;
    }
    sayNews(news, say);
  });
  emitKeypressEvents(process.stdin, lines);
  process.stdin.on("keypress", (_, key: { name?: string } | undefined) => {
    if (key?.name === "escape" && running) void act(link, "/stop", say);
  });
  lines.on("line", (line) => {
    const text = line.trim();
    if (text === "/quit" || text === "/exit") return lines.close();
    const done = text.startsWith("/") ? act(link, text, say) : sayTo(link, text, running !== null);
    done.catch((error: unknown) => say(`error: ${error instanceof Error ? error.message : String(error)}`));
    lines.prompt();
  });
  lines.on("close", () => leaving.abort());
  say(dim(`talking with ${link.agentId}; /help tells what can be typed, Ctrl-D leaves`));
  lines.prompt();
  for await (const { text } of link.replies(leaving.signal)) say(`\n${shown(text)}\n`);
  process.stdout.write("\n");
  return exitCodes.done;
}

async function sayTo(link: ChatLink, text: string, isAtWork: boolean): Promise<void> {
  if (text !== "") await link.say(text, isAtWork ? "steer" : undefined);
}

const help = `/stop      end what it does (Esc)
/status    how it is
/queue     what waits
/usage     how large the conversation is, what today has cost
/compact   go on from a summary
/reset     begin anew
/quit      leave (Ctrl-D)`;

async function act(link: ChatLink, command: string, say: (text: string) => void): Promise<void> {
  const agent_id = link.agentId;
  switch (command) {
    case "/help":
      return say(help);
    case "/stop": {
      const { stopped } = await link.command("agents stop", { agent_id });
      return say(dim(stopped ? "stopping" : "nothing is running"));
    }
    case "/reset":
      await link.command("agents reset", { agent_id });
      return say(dim("the conversation begins anew"));
    case "/compact":
      await link.command("agents compact", { agent_id });
      return say(dim("the conversation goes on from a summary"));
    case "/status":
    case "/queue":
    case "/usage":
      return say(dim(factsOf(command, (await link.status()) ?? {})));
    default:
      return say(`unknown: ${command}\n${help}`);
  }
}

function factsOf(command: string, status: Record<string, unknown>): string {
  const fact = (key: string) => {
    const { [key]: value } = status;
    return typeof value === "string" || typeof value === "number" ? String(value) : "unknown";
  };
  if (command === "/queue") return `${fact("waiting")} waiting`;
  if (command === "/status")
    return `${fact("state")}, ${fact("waiting")} waiting, model ${fact("model")} on ${fact("backend")}`;
  return `${fact("context_tokens")} of ${fact("context_window")} tokens; today ${spentText(status)}`;
}

function sayNews(news: AgentNews, say: (text: string) => void): void {
  if (news.event === "task_started")
    say(dim(`· task ${String(news["task_id"])}: ${shorten(String(news["description"]), 80)}`));
  if (news.event === "task_ended") say(dim(`· task ${String(news["task_id"])} ${String(news["outcome"])}`));
  if (news.event === "turn_ended" && news["ok"] === false) say(dim(`· ${shorten(String(news["error"]), 200)}`));
  if (news.event === "compacted" || news.event === "reset") say(dim(`· ${news.event}`));
}

function sayTool(event: AgentEvent, say: (text: string) => void): void {
  const tool = textField(event, "tool");
  if (tool === "reply") return;
  if (event.event === "tool_start") say(dim(`· ${tool} ${shorten(JSON.stringify(event["args"] ?? {}), 100)} …`));
  if (event.event === "tool_end") {
    const ms = typeof event["duration_ms"] === "number" ? event["duration_ms"] : 0;
    say(dim(`· ${tool} ${event["is_error"] === true ? "✗" : "✓"} ${duration(ms)}`));
  }
}

/** What others wrote moves no cursor. */
const shown = cleaned;

/** Writes above the line that is being typed. */
function above(lines: Interface, text: string): void {
  process.stdout.write(process.stdout.isTTY ? `\r\u001b[2K${text}\n` : `${text}\n`);
  lines.prompt(true);
}
