/** Waits for the answers to a message, and shows them: a single one as it grows, each of several when it is whole. */
import type { FeedEvent } from "../../../web/client/event-feed.ts";
import type { ApiRecord } from "../../../web/client/workspace-client.ts";
import { GrowingAnswers } from "./growing-answers.ts";

type Task = ApiRecord<"Task">;
type Message = ApiRecord<"Message">;

export type Answers = { tasks: Task[]; messages: Message[] };

export type AnswerOutput = {
  /** Gets the answers. */
  write: (text: string) => void;
  /** Gets a line about how it goes. */
  notify: (line: string) => void;
  nameOf: (agentId: string) => string;
};

const hasEnded = ({ status }: Task) => ["completed", "failed", "cancelled"].includes(status);

/** Reads events, from before the message was sent, until each task has ended. */
export async function waitForAnswers(
  feed: AsyncIterable<FeedEvent>,
  asked: readonly Task[],
  { write, notify, nameOf }: AnswerOutput,
): Promise<Answers> {
  const tasks = new Map(asked.map((task) => [task.id, task]));
  const messages = new Map<string, Message>();
  const growing = new GrowingAnswers();
  const isSingle = asked.length === 1;
  let last = "\n";
  const show = (text: string) => {
    if (text === "") return;
    write(text);
    last = text.at(-1) ?? last;
  };
  for await (const event of feed) {
    const piece = growing.pieceOf(event);
    if (piece?.taskId !== undefined && tasks.has(piece.taskId)) {
      if (event.event === "message.created" || event.event === "message.updated")
        messages.set(piece.taskId, event.data.message);
      if (isSingle) show(piece.text);
    }
    if (event.event === "presence.thinking" && event.data.waits_until !== undefined && tasks.has(event.data.task_id))
      notify(`${nameOf(event.data.agent_id)} waits for its provider until ${event.data.waits_until}`);
    if (event.event !== "task.status_changed" || !tasks.has(event.data.task.id)) continue;
    const { task } = event.data;
    const name = nameOf(task.agent_id);
    const wasRunning = tasks.get(task.id)?.status === "running";
    tasks.set(task.id, task);
    if (task.status === "running" && !wasRunning) notify(`${name} is thinking …`);
    if (task.status === "completed" && !isSingle) show(`[${name}]\n${messages.get(task.id)?.text ?? ""}\n\n`);
    if (task.status === "failed") notify(`${name} has not answered: ${task.error ?? "no reason was given"}`);
    if (task.status === "cancelled") notify(`the answer of ${name} was cancelled`);
    if ([...tasks.values()].every(hasEnded)) break;
  }
  if (last !== "\n") write("\n");
  return { tasks: [...tasks.values()], messages: [...messages.values()] };
}
