/** The pack `cortex`: runs that are started from outside, by the owner's own clients. No run has it. */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { messageOf } from "../../files/errors/error-message.ts";
import { readQuestion } from "../../journal/permissions/questions.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { isTerminal } from "../../protocol/runs/event.ts";
import { readRunRecord, type RunRecord } from "../links/run-record.ts";
import { decisionIn } from "../runs/approval-forms.ts";
import { day, facetName, longText, oneLine } from "../tool/arguments.ts";
import { runTask } from "./run-task.ts";
import { defineTool, reads, type Tool, type ToolContext, writes } from "../tool/tool.ts";
import { ToolError } from "../tool/tool-error.ts";

/** Characters of a prompt: more than a model reads, and less than the bus takes in one message. */
const longestPrompt = 200_000;
/** Characters of what a client is told of a step. */
const longestStep = 200;

const agentId = oneLine(32, "The run's id, as cortex_run gave it.");

const output = {
  agent_id: z.string(),
  state: z.enum(["working", "waiting", "finished", "failed", "cancelled"]).meta({
    description: "waiting: a call of it waits for a person's decision.",
  }),
  result: z.string().optional().meta({ description: "Its answer, where it has finished." }),
  error: z.string().optional().meta({ description: "Why it failed." }),
  waits_for: z.array(z.string()).optional().meta({ description: "The calls that wait for a decision." }),
};

const cortexRun = defineTool({
  name: "cortex_run",
  title: "Run an agent",
  description:
    "Have an agent of cortex work on a prompt, and wait for its answer. It knows the user's journal and nothing of this " +
    "conversation: the prompt has to say all that matters.",
  input: {
    prompt: longText(longestPrompt, "What the agent is to do.").min(1, "expected text, not blank"),
    persona: oneLine(128, "Which persona answers. Default: the general one.").optional(),
    folder: oneLine(1_000, "An absolute path of a folder to work in, one that the settings allow.").optional(),
    facet: facetName.optional(),
    day: day("The day that it is about, YYYYMMDD.").optional(),
    model: oneLine(256, "The model, in place of the persona's.").optional(),
    continue_from: oneLine(32, "The id of a run that has ended: its conversation is gone on with.").optional(),
  },
  output,
  annotations: { ...writes({ destructive: false, idempotent: false }), openWorldHint: true },
  async run(args, context) {
    const { knowsTasks, state: asked } = context.caller ?? {};
    // A call that is made again, with the answers to what its run asked.
    if (asked !== undefined) return await goOn(context, asked);
    const id = await started(context, args);
    if (!knowsTasks) return await answerOf(context, id);
    return { text: "", task: runTask(await recordOf(context, id), false) };
  },
});

const cortexResult = defineTool({
  name: "cortex_result",
  title: "Result of a run",
  description: "Tell what became of a run that cortex_run began: its answer, or where it stands.",
  input: { agent_id: agentId },
  output,
  annotations: reads,
  run: async ({ agent_id }, context) => answer(await recordOf(context, agent_id)),
});

export const cortexPack: readonly Tool[] = [cortexRun, cortexResult];

/** @throws ToolError for what cortex refuses, or when it is away */
async function started({ runs }: ToolContext, request: Parameters<ToolContext["runs"]["start"]>[0]): Promise<string> {
  try {
    return await runs.start({ ...request, watched: true });
  } catch (error) {
    throw new ToolError(messageOf(error), { cause: error });
  }
}

/**
 * Decides by the forms that came back.
 * @returns the questions that the user put away: they aren't put again
 * @throws ToolError if there is no such run, or the agents' service is away
 */
async function decideOf(context: ToolContext, id: string): Promise<ReadonlySet<string>> {
  const { questions } = await recordOf(context, id);
  const later = new Set<string>();
  for (const question of questions) {
    const { decision, reason } = decisionIn(context.caller?.answers?.[question.id]) ?? {};
    if (decision === "later") later.add(question.id);
    else if (decision) await decided(context, question.id, decision, reason);
  }
  return later;
}

/**
 * Decides on a question that waits. Where somebody was quicker, that stands.
 * @throws ToolError
 */
export async function decided(
  { runs, journal }: Pick<ToolContext, "runs" | "journal">,
  id: string,
  decision: "allow" | "deny",
  reason?: string,
): Promise<void> {
  try {
    await runs.decide(id, decision, reason);
  } catch (error) {
    // Somebody was quicker, or its time was up: that stands.
    if (readQuestion(journal, id)?.decision === undefined) throw new ToolError(messageOf(error), { cause: error });
  }
}

/** A run says that it asks a moment before the question is kept: looked for so often, so far apart, in ms. */
const [looks, lookAgainMs] = [100, 100];

/** Finds the question that a run says it has asked, if nobody has decided it. Looks no more when the signal aborts. */
async function openQuestion(journal: string, id: unknown, signal?: AbortSignal): Promise<KeptQuestion | null> {
  for (let look = 0; look < looks && typeof id === "string" && !signal?.aborted; look++) {
    const question = readQuestion(journal, id);
    if (question) return question.decision === undefined ? question : null;
    await delay(lookAgainMs, undefined, { signal }).catch(() => {});
  }
  return null;
}

/** Decides by the forms that came back, and waits on: for what the run asks now, or for its end. */
async function goOn(context: ToolContext, id: string) {
  const later = await decideOf(context, id);
  const record = await recordOf(context, id);
  const question = record.questions.find((one) => !later.has(one.id));
  if (question && context.caller?.fillsForms) return asking(question);
  return record.state === "working" ? await answerOf(context, id) : answer(record);
}

const asking = (question: KeptQuestion) => ({ text: "", asks: { questions: [question], run: question.run } });

/** Waits for the end of a run, and tells of its steps. A client that hangs up, or cancels its call, stops the run. */
async function answerOf(context: ToolContext, id: string) {
  const { runs, reporter } = context;
  const feed = await runs.follow(id);
  const stop = () => feed.close();
  if (reporter?.signal.aborted) stop();
  reporter?.signal.addEventListener("abort", stop, { once: true });
  let steps = 0;
  try {
    reporter?.progress(++steps, undefined, `run ${id}`);
    for await (const event of feed.events()) {
      const step = stepOf(event);
      if (step !== null) reporter?.progress(++steps, undefined, step);
      if (isTerminal(event) || reporter?.signal.aborted) break;
      if (event.event !== "permission" || !context.caller?.fillsForms) continue;
      const question = await openQuestion(context.journal, event["id"], reporter?.signal);
      if (question) return asking(question);
    }
  } finally {
    reporter?.signal.removeEventListener("abort", stop);
    feed.close();
  }
  if (reporter?.signal.aborted) {
    await runs.cancel(id);
    throw new ToolError(`the run ${id} was stopped`);
  }
  return answer(await recordOf(context, id));
}

/** @throws ToolError if there is no such run */
async function recordOf({ journal, runs }: ToolContext, id: string): Promise<RunRecord> {
  const record = await readRunRecord(journal, id, runs.isKnown(id));
  if (!record) throw new ToolError(`there is no run ${id}`);
  return record;
}

/** The answer of a call about a run. */
export function answer({ agentId: agent_id, state, text, questions }: RunRecord) {
  const waits = questions.map(({ tool, why }) => `${tool}: ${why}`);
  return {
    text: text || `the run ${agent_id} is ${state}${waits.length > 0 ? `, for a decision on ${waits.join("; ")}` : ""}`,
    structured: {
      agent_id,
      state,
      ...(state === "finished" && { result: text }),
      ...(state === "failed" && { error: text }),
      ...(waits.length > 0 && { waits_for: waits }),
    },
    isError: state === "failed" || state === "cancelled",
  };
}

/** A step of a run in a few words; null for what nobody need hear. */
function stepOf(event: AgentEvent): string | null {
  const { [event.event === "text" ? "text" : "tool"]: said } = event;
  const about = typeof said === "string" ? said.slice(0, longestStep).toWellFormed() : "";
  if (event.event === "tool_start") return `calls ${about}`;
  if (event.event === "permission") return `asks whether ${about} may be called`;
  return event.event === "text" && event["partial"] !== true ? about : null;
}
