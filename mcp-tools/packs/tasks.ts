/** The pack `tasks`: sends others off to work in the background, and asks what became of it. */
import { z } from "zod";
import { loadPersonas } from "../../personas/load.ts";
import { defaultTaskType } from "../../protocol/agents/agent-files.ts";
import { day, message, oneLine } from "../tool/arguments.ts";
import { askAgents } from "../tool/ask-agents.ts";
import { forwarded } from "../tool/forwarded.ts";
import { defineTool, reads, type Tool, writes } from "../tool/tool.ts";

const taskId = oneLine(128, "The task's id, as spawn_subagent gave it.");
const begun = { taskId: z.string(), status: z.string() };

/** Characters of a description, and sub-agents, that a list has room for. */
const longestDescription = 300;
const mostListed = 100;

/** Lists the sub-agents that a journal has, as its personas describe them. */
function listSubagents(journal: string): string {
  const lines = [...loadPersonas(journal).personas.values()]
    .filter(({ settings: { task, disabled } }) => task && !disabled)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, settings: { description, title } }) => `- ${name}: ${shortLine(description ?? title ?? "")}`);
  return `\n\nTypes:\n${lines.slice(0, mostListed).join("\n")}`;
}

const shortLine = (text: string) => text.replaceAll(/\s+/g, " ").trim().slice(0, longestDescription);

const spawn = forwarded({
  name: "spawn_subagent",
  title: "Send off a task",
  description:
    "Send a sub-agent off to work on a task in the background. It answers at once with the task's id; a message tells you " +
    "when the task has ended, with its result. It knows nothing but the input.",
  input: {
    description: oneLine(200, "The task in a few words, for lists."),
    input: message("All that the sub-agent has to know: what to do, with what, and what to give back."),
    type: oneLine(128, `Which sub-agent, of those listed above. Default: ${defaultTaskType}.`).optional(),
  },
  output: begun,
  annotations: writes({ destructive: false, idempotent: false }),
});
const spawnSubagent: Tool = { ...spawn, describeJournal: listSubagents };

const resumeTask = forwarded({
  name: "resume_task",
  title: "Resume a task",
  description: "Go on with a task that has ended or waits for an answer, in the same conversation, with further input.",
  input: { taskId, input: message("The answer, or what else to do.") },
  output: begun,
  annotations: writes({ destructive: false, idempotent: false }),
});

const taskList = forwarded({
  name: "task_list",
  title: "List tasks",
  description: "List the tasks of a day, each with its description and state.",
  input: { date: day("The day, YYYYMMDD. Default: today.").optional() },
  output: {},
  annotations: reads,
});

const taskStatus = forwarded({
  name: "task_status",
  title: "Status of a task",
  description: "Return the state of a task, with its current work or its result.",
  input: { taskId },
  output: {},
  annotations: reads,
});

/** Seconds that a call waits: less than a run may be silent (idle_timeout_seconds). */
const usualWait = 60;
const longestWait = 120;

const waited = {
  done: z.boolean().meta({ description: "Whether the tasks ended: all of them, or the first." }),
  interrupted: z.string().optional().meta({ description: "Why the wait ended early." }),
  waits_for_user: z.boolean().optional().meta({ description: "Whether a task waits for its user's answer." }),
  tasks: z.array(z.looseObject(begun)).meta({ description: "How each stands, with `result` where it has ended." }),
};
const Waited = z.object(waited);

const taskWait = defineTool({
  name: "task_wait",
  title: "Wait for tasks",
  description:
    "Wait for several tasks within this turn, until all have ended or the first has, and get their results. Only where you " +
    "need them to go on: nobody can reach you meanwhile, and without it a message tells you of each end. It waits no longer " +
    "when somebody writes to you.",
  input: {
    taskIds: z.array(taskId).min(1).max(100).meta({ description: "The tasks, by the ids that spawn_subagent gave." }),
    until: z.enum(["all", "first"]).optional().meta({ description: "Default: all." }),
    timeout_seconds: z
      .number()
      .positive()
      .max(longestWait)
      .optional()
      .meta({
        description: `How long to wait at most, in seconds; a user's answer is waited for longer. Default ${usualWait}.`,
      }),
  },
  output: waited,
  annotations: reads,
  async run({ timeout_seconds = usualWait, ...asked }, context) {
    for (let end = performance.now() + timeout_seconds * 1000; ; ) {
      const begun = performance.now();
      const structured = Waited.parse(await askAgents(context, "task_wait", asked));
      // A user has the time that they need: the run's clocks stand still as well.
      if (structured.waits_for_user) end += performance.now() - begun;
      const isOver = structured.done || structured.interrupted !== undefined || performance.now() >= end;
      if (isOver || context.reporter?.signal.aborted) return { text: JSON.stringify(structured), structured };
    }
  },
});

const taskReplay = forwarded({
  name: "task_replay",
  title: "Replay a task",
  description: "Return the steps of a task: its agent's reasoning, its tool calls and their results.",
  input: { taskId },
  output: {},
  annotations: reads,
});

export const tasksPack: readonly Tool[] = [spawnSubagent, resumeTask, taskList, taskStatus, taskWait, taskReplay];
