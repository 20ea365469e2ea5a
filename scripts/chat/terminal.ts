/** Talking at a terminal: what is typed goes to the agent at once, what it replies ends up in the scrollback, above a line that says what goes on and the line that is being typed. */
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import type { AgentNews } from "../../protocol/agents/agent-event.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { isNotice, maxMessageText } from "../../protocol/agents/channel.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { saidOrderIn } from "../../protocol/agents/said-commands.ts";
import { searchText } from "../runs/search-text.ts";
import { duration, shorten } from "../command/layout/text.ts";
import { asTyped } from "../command/typed-command.ts";
import { AttachedFiles, pastedFile, typedPath } from "./attached-files.ts";
import { textWithFiles } from "./files-as-text.ts";
import { type EnteredLine, LineInput } from "./line-input.ts";
import { QuestionPrompts } from "./question-prompts.ts";
import type { ChatLink } from "./link.ts";
import { cleaned } from "../../proc/logging/terminal.ts";
import { Screen } from "./screen.ts";
import { agoText, awayHeading } from "./waiting-replies.ts";
import { WorkStatus } from "./work-status.ts";

const hasColor = process.stdout.isTTY && !process.env["NO_COLOR"];
const dim = (text: string) => (hasColor ? `\u001b[2m${text}\u001b[22m` : text);

/** Milliseconds after which the line that says what goes on is drawn anew, for the time in it. */
const drawMs = 1000;
/**
 * Milliseconds after which the agent is asked again how it is, while it is thought to be at work: news of it may get
 * lost.
 */
const askMs = 5000;

/** Talks until Ctrl-D or /quit. Resolves with the exit code. */
export async function talkAtTerminal(link: ChatLink): Promise<number> {
  const leaving = new AbortController();
  const screen = new Screen(process.stdout);
  const work = new WorkStatus();
  const unsent = new Set<string>();
  const say = (text: string) => screen.print(text);
  const tellError = (error: unknown) => say(`error: ${messageOf(error)}`);
  const act = (command: string) =>
    link.isConnected
      ? actOn(link, command, say).catch(tellError)
      : say(`cortex is away: ${command} isn't possible now`);
  const saying = new SerialQueue();
  const files = new AttachedFiles(link.journal);
  const attach = (path: string) => {
    saying.run(async () => say(dim(await files.attach(path)))).catch(tellError);
  };
  const sendText = async (text: string) => {
    const taken = files.takeFiles();
    try {
      work.said(
        await link.sendText(text, { mode: work.isAtWork ? "steer" : undefined, attachments: taken }),
        Date.now(),
      );
    } catch (error) {
      files.putBack(taken);
      throw error;
    }
  };
  const sayInOrder = (text: string) => {
    unsent.add(text);
    saying
      .run(() => sendText(text))
      .catch(tellError)
      .finally(() => unsent.delete(text));
  };
  const questions = new QuestionPrompts({ link, say, sendText, dim });
  const enter = ({ text, isTyped }: EnteredLine) => {
    if (text.trim() === "") return;
    const command = text.trim();
    if (isTyped && ["/quit", "/exit"].includes(command)) return leaving.abort();
    say(`> ${shown(text)}`);
    const pasted = pastedFile(text);
    if (pasted !== null) return attach(pasted);
    if (isTyped && /^\/attach(\s|$)/.test(text)) {
      const path = typedPath(text.slice("/attach".length));
      return path === "" ? say("which file? /attach PATH") : attach(path);
    }
    if (isTyped && text.startsWith("/")) return act(command);
    const answer = isTyped ? questions.answerOf(text) : null;
    if (answer) return void saying.run(() => questions.give(answer, text)).catch(tellError);
    if (text.length > maxMessageText)
      return say(`too long: ${text.length} characters, a message has ${maxMessageText} at most`);
    return sayInOrder(text);
  };
  using input = new LineInput(process.stdin, {
    onEnter: (entered) => void enter(entered),
    onEscape: () => void (work.isAtWork && act("/stop")),
    onChange: () => show(),
    onClose: () => leaving.abort(),
    onSuspend: () => {
      screen.close();
      input.release();
      process.once("SIGCONT", () => {
        input.open();
        screen.open();
        show(true);
      });
      process.kill(0, "SIGTSTP");
    },
  });
  const show = (isForced = false) => {
    const [before, after] = input.around;
    screen.show({ status: work.line(Date.now()), before, after }, isForced);
  };
  let run: { id: string; events: Disposable } | null = null;
  await link.onNews((news) => {
    if (news.event === "turn_started" && news.run_id && run?.id !== news.run_id) {
      run?.events[Symbol.dispose]();
      const events = link.onRun(news.run_id, (event) => {
        work.hearRun(event);
        sayTool(event, say);
        show();
      });
      run = { id: news.run_id, events };
    }
    if (news.event === "turn_ended") {
      run?.events[Symbol.dispose]();
      run = null;
      if (work.ended(news)) say(dim("(finished without a reply)"));
    }
    work.hearNews(news);
    sayNews(news, say);
    show();
  });
  await link.onDecision((id) => questions.takeDecision(id));
  link.onConnection((isConnected) => {
    work.isAway = !isConnected;
    // What was decided meanwhile was heard by nobody here.
    if (isConnected) questions.checkOpen().catch(() => {});
    say(dim(isConnected ? "· cortex is back" : asTyped("· cortex is away; start it: cortex up")));
    show();
  });
  const ask = () => void work.ask(async () => ((await link.status())?.["state"] ?? "idle") !== "idle").catch(() => {});
  using timers = new DisposableStack();
  for (const timer of [
    setInterval(() => show(), drawMs),
    setInterval(() => link.isConnected && work.line(0) !== null && ask(), askMs),
  ])
    timers.defer(() => clearInterval(timer));
  process.stdout.on("resize", () => show(true));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.once(signal, () => leaving.abort());
  process.once("exit", () => screen.close());
  screen.open();
  say(dim(`talking with ${link.agentId}; /help lists the commands, Ctrl-D exits`));
  show(true);
  ask();
  try {
    await showWaiting(link, say, questions).catch(tellError);
    for await (const message of link.replies(leaving.signal)) {
      if (!isNotice(message) && message.metadata?.["permission"] === undefined) work.replied(message.run_id);
      say(`\n${shown(textWithFiles(message, link.journal))}\n`);
      questions.hearMessage(message);
    }
  } finally {
    screen.close();
  }
  for (const text of unsent) process.stderr.write(`not sent, cortex is away: ${shorten(text, 200)}\n`);
  return unsent.size > 0 ? exitCodes.noBus : exitCodes.done;
}

/** Shows what was sent while no terminal was open. A question of it is answered here as long as it waits. */
async function showWaiting(link: ChatLink, say: (text: string) => void, questions: QuestionPrompts): Promise<void> {
  const open = await link.openQuestions();
  await link.showWaiting((waiting) => {
    say(dim(awayHeading(waiting, link.agentId)));
    for (const { message, at } of waiting.replies) {
      say(`${dim(`· ${agoText(at, Date.now())}`)}\n\n${shown(textWithFiles(message, link.journal))}\n`);
      questions.hearMessage(message, open);
    }
  });
}

/** Commands of the terminal itself, beside those that hold in every channel. */
const help = `/queue: what waits
/compact: go on from a summary
/attach FILE: a file that goes with the next message; a pasted path does the same
/quit: leave (Ctrl-D); Esc is /stop`;

async function actOn(link: ChatLink, command: string, say: (text: string) => void): Promise<void> {
  switch (command) {
    case "/queue": {
      const { waiting } = (await link.status()) ?? {};
      return say(dim(`${typeof waiting === "number" ? waiting : "unknown"} waiting`));
    }
    case "/compact":
      await link.command("agents compact", { agent_id: link.agentId });
      return say(dim("the conversation goes on from a summary"));
  }
  const order = saidOrderIn(command);
  if (order === null) return say(`unknown: ${shown(command)}; to send it as a message, put a blank before it; /help`);
  say(dim(shown(await link.order(command))));
  if (order.command === "help") say(dim(help));
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
  if (event.event === "web_search") say(dim(`· ${shorten(searchText(event), 100)}`));
  if (tool === "reply") return;
  if (event.event === "tool_start") say(dim(`· ${tool} ${shorten(JSON.stringify(event["args"] ?? {}), 100)} …`));
  if (event.event === "tool_end") {
    const ms = typeof event["duration_ms"] === "number" ? event["duration_ms"] : 0;
    say(dim(`· ${tool} ${event["is_error"] === true ? "✗" : "✓"} ${duration(ms)}`));
  }
}

/** Cleans the text of others, so that it moves no cursor. */
const shown = cleaned;
