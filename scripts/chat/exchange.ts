/** One exchange: a message, and all that is replied to it. */
import { isNotice } from "../../protocol/agents/channel.ts";
import { saidOrderIn } from "../../protocol/agents/said-commands.ts";
import type { AgentNews } from "../../protocol/agents/agent-event.ts";
import { ErrorReason } from "../../protocol/events/error-reason.ts";
import { exitCodeOf, exitCodes } from "../../protocol/runs/exit-codes.ts";
import { Progress } from "../runs/progress.ts";
import { textWithFiles } from "./files-as-text.ts";
import type { ChatLink } from "./link.ts";

/** Milliseconds after which it is looked again whether it is over, where no event says so: events may get lost. */
const lookMs = 500;

/** Says it, prints the replies on stdout, and resolves with the exit code. A command that every channel has is carried out. */
export async function exchange(link: ChatLink, message: string): Promise<number> {
  if (saidOrderIn(message) !== null) {
    process.stdout.write(`${await link.order(message)}\n`);
    return exitCodes.done;
  }
  using progress = new Progress(process.stderr);
  const over = new AbortController();
  let code: number = exitCodes.done;
  let isHeard = false;
  let look = () => {};
  const runs: Disposable[] = [];
  let item: string | null = null;
  const early: AgentNews[] = [];
  const hear = (news: AgentNews) => {
    if (news.event === "turn_started" && news.run_id)
      runs.push(link.onRun(news.run_id, (event) => event.event.startsWith("tool_") && progress.show(event)));
    if (news.event !== "turn_ended") return;
    const items = Array.isArray(news["items"]) ? news["items"] : [];
    if (items.includes(item)) {
      isHeard = true;
      const reason = ErrorReason.safeParse(news["reason"]).data;
      if (news["ok"] === false) code = exitCodeOf(reason);
    }
    look();
  };
  await link.onNews((news) => (item === null ? void early.push(news) : hear(news)));
  process.once("SIGINT", () => {
    code = exitCodes.cancelled;
    void link.command("agents stop", { agent_id: link.agentId }).finally(() => over.abort());
  });
  item = await link.sendText(message);
  for (const news of early) hear(news);
  const printing = print(link, over.signal, () => code !== exitCodes.done);
  const timer = setInterval(() => look(), lookMs);
  let isLooking = false;
  look = () => {
    if (isLooking || over.signal.aborted) return;
    isLooking = true;
    isOver(link, isHeard)
      .then((is) => is && over.abort())
      .catch(() => {}) // the service is away: it comes back, and is asked again
      .finally(() => (isLooking = false));
  };
  const count = await printing;
  clearInterval(timer);
  for (const run of runs) run[Symbol.dispose]();
  if (count === 0 && code === exitCodes.done) progress.noteText("(finished without a reply)");
  return code;
}

/** Whether the message was thought about, and all that was sent off for it. */
async function isOver(link: ChatLink, isHeard: boolean): Promise<boolean> {
  const status = await link.status();
  if (!status || (!isHeard && status["state"] !== "idle")) return false;
  if (status["state"] !== "idle") return false;
  if ((await link.runningTasks()) > 0 || (await link.status())?.["state"] !== "idle") return false;
  return await link.isRead(); // what was said last may yet be on its way here
}

/** Returns how many there were. */
async function print(link: ChatLink, signal: AbortSignal, hasFailed: () => boolean): Promise<number> {
  let count = 0;
  for await (const message of link.replies(signal)) {
    const text = textWithFiles(message, link.journal);
    const output = isNotice(message) && hasFailed() ? process.stderr : process.stdout;
    output.write(text.endsWith("\n") ? text : `${text}\n`);
    count += 1;
  }
  return count;
}
