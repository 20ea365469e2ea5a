/** The loop that all model backends share: call the model, run its tool calls one after the other, repeat until there are none. */
import { readArguments } from "../../conversation/arguments.ts";
import { keepReasoningFor } from "../../conversation/reasoning.ts";
import { repair } from "../../conversation/repair.ts";
import { addEvent } from "../../conversation/said-events.ts";
import { Transcript } from "../../conversation/transcript.ts";
import { hasContents, hideContents } from "../../protocol/runs/hide-contents.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import type { Message } from "../../protocol/runs/run-config.ts";
import { RunFailure } from "../provider/failure.ts";
import { ContextKeeper } from "./context/context-keeper.ts";
import { CallIds, initialMessages } from "./context/initial-messages.ts";
import { type ModelCall, type Provider, ProviderError, searchTool } from "../provider/provider.ts";
import { resumeCalls } from "./calls/resume-calls.ts";
import type { Run } from "./run/run.ts";
import { ShownFiles } from "./files/shown-files.ts";
import { RefusedCalls } from "./calls/refused-calls.ts";
import { callTool, type OnOutput, type Toolbox, type ToolResult } from "./calls/tools.ts";
import { type AnswerPart, callModel, type ModelAnswer, type SizesOf } from "./run/model-call.ts";
import { UsageTotals } from "../provider/usage.ts";

type CallPart = Extract<AnswerPart, { type: "call" }>;

const defaultMaxTurns = 50;

/** Pages that the event of a search names. */
const mostSources = 50;

/**
 * Runs the model up to its answer, and returns the `finish` event.
 * The loop remembers by its own events: they grow the conversation just as a later run will rebuild it from the file.
 * @throws RunFailure; anything once the run is cancelled
 */
export async function loop(run: Run, provider: Provider, model: string, tools: Toolbox): Promise<EventBody> {
  const { config, inbox, signal } = run;
  const maxTurns = Math.max(1, Math.floor(config.max_turns ?? defaultMaxTurns));
  const { history, prompt, parts } = initialMessages(config);
  const ids = new CallIds(history);
  const totals = new UsageTotals();
  const files = new ShownFiles(
    config.attachments_folder,
    (mime) => provider.takes?.(mime, model) ?? false,
    tools.descriptions.map(({ name }) => name),
  );
  await resumeCalls(history, { config, tools, signal, clock: run.clock, emit: run.emit });
  const refused = new RefusedCalls(config.loop_limit);
  const transcript = new Transcript(history);
  addEvent(transcript, { event: "start", backend: provider.name, model, prompt, parts });
  const { instruction = "", extra_context: context = "" } = config;
  const keeper = new ContextKeeper(run, provider, model, { instruction, context, tools: tools.descriptions }, totals);
  const sizesAfter: SizesOf = (usage) => keeper.sizesAfter(usage);
  /** Where model calls are counted, those for summaries are as well: the run ends by itself, and isn't ended. */
  const turnsAt = (number: number) => number + (config["max_total_turns"] === undefined ? 0 : keeper.calls);
  let lastSaid = "";
  /** The text of an answer that was cut off, and is gone on with. */
  let cut = "";
  /** Number of inputs that a model call has included. */
  let inputs = 0;
  /** Ids of those that no model call has included yet, or of which that isn't said. */
  const untaken = [...(config.former_inputs ?? [])];

  for (let number = 1; ; number++) {
    signal.throwIfAborted();
    for (const said of inbox.takeInputs()) {
      // Cortex has written the `input` event already.
      addEvent(transcript, { event: "input", ...said });
      inputs++;
      if (said.id !== undefined) untaken.push(said.id);
      lastSaid = "";
    }
    const { mayCall, ...asked } = await ask(number);
    const answer = withCut(cut, asked.answer);
    // A model may call although it was told not to: nothing comes of that.
    const calls = mayCall && answer.stop !== "refusal" ? answer.parts.filter((part) => part.type === "call") : [];

    if (calls.length === 0 && isFinal(answer, mayCall)) {
      // Text before a search is said before it, as before a call.
      const searched = answer.parts.findLastIndex((part) => part.type === "search" && part.opaque !== undefined) + 1;
      const last = answer.parts.slice(searched);
      await say(answer.parts.slice(0, searched), "thinking", "search", "text");
      await say(last, "thinking", "search");
      // Looked at last: nothing that was said to the run before its `finish` may be lost.
      if (inbox.isEmpty) return finish(textOf(last) || lastSaid);
      await say(last, "text");
    } else if (calls.length === 0) {
      const goesOn = answer.stop === "max_tokens" && mayCall && cut === "" && config.continue_cut_answers !== false;
      // Of one that was cut off the text is kept in pieces.
      await say(answer.parts, "thinking", "search", ...(answer.stop === "max_tokens" ? [] : ["text" as const]));
      if (goesOn && textOf(answer.parts) !== "") {
        cut = answer.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
        await speak({ event: "cut_off" });
        continue;
      }
      if (answer.stop !== "pause") throw cutShort(answer);
    } else {
      const refusal = turnsAt(number) >= maxTurns ? tooManyTurns(maxTurns) : undefined;
      for (const part of answer.parts) {
        if (part.type === "call") await runCall(part, refusal);
        else await say([part], "thinking", "search", "text");
      }
    }
    cut = "";
  }

  /** Asks the model, with a conversation that it takes: its older part is summed up where it would be too long, or was. */
  async function ask(number: number): Promise<{ answer: ModelAnswer; mayCall: boolean }> {
    const conversation = () => repair(transcript.messages());
    // One call has to be left for the answer.
    const callsLeft = () =>
      config["max_total_turns"] === undefined ? Number.POSITIVE_INFINITY : maxTurns - turnsAt(number);
    // A conversation that its asker keeps is made smaller there, up to the first answer.
    const mayShrink = number > 1 || config.keeps_conversation !== true;
    let compacted = mayShrink ? await keeper.makeRoom(conversation(), callsLeft()) : null;
    for (let hasShrunk = false; ; hasShrunk = true) {
      if (compacted) await speak(compacted);
      const mayCall = turnsAt(number) <= maxTurns;
      const messages = keeper.shown(conversation());
      keeper.asking(messages);
      try {
        return { answer: await callShown(messages, mayCall), mayCall };
      } catch (error) {
        if (!(error instanceof ProviderError) || error.detail !== "too_long" || !mayShrink) throw error;
        compacted = await keeper.makeSmaller(conversation(), callsLeft());
        if (!compacted) throw hasShrunk ? stillTooLong(error) : error;
      }
    }
  }

  /** A model that refuses a file is asked again without any, and so for the rest of the run: its conversation goes on. */
  async function callShown(messages: readonly Message[], mayCall: boolean): Promise<ModelAnswer> {
    const shown = await files.show(messages);
    try {
      return await callModel(provider, modelCall(shown, mayCall), { ...run, emit: speak }, totals, sizesAfter);
    } catch (error) {
      if (!shown.some(({ media }) => media) || !isRefusalOfFile(error)) throw error;
      await run.emit({ event: "info", message: `the files are named and no longer shown: ${error.message}` });
      files.refuse();
      const named = await files.show(messages);
      return callModel(provider, modelCall(named, mayCall), { ...run, emit: speak }, totals, sizesAfter);
    }
  }

  async function speak(said: EventBody): Promise<void> {
    // Before its usage: a kill in between must not leave an input that was heard as one that wasn't.
    if (said.event === "usage" && said["purpose"] === undefined)
      for (const id of untaken.splice(0)) await run.emit({ event: "input_taken", id });
    // The sender of an input can tell by the count whether a call included it, or the run ended before.
    const isCounted = inputs > 0 && (said.event === "usage" || said.event === "compacted");
    const event = isCounted ? { ...said, inputs } : said;
    addEvent(transcript, event);
    await run.emit(event);
  }

  function modelCall(messages: ModelCall["messages"], mayCall: boolean): ModelCall {
    const { max_tokens, temperature, thinking_budget } = config;
    const maySearch = config.provider_search !== false && (config.tools?.includes(searchTool) ?? false);
    return {
      model,
      instruction,
      context,
      messages: keepReasoningFor(messages, provider.name, model),
      tools: tools.descriptions,
      toolChoice: mayCall && (maySearch || tools.descriptions.length > 0) ? "auto" : "none",
      ...(maySearch && { search: true }),
      ...(max_tokens !== undefined && { max_tokens }),
      ...(temperature !== undefined && { temperature }),
      ...(thinking_budget !== undefined && { thinking_budget }),
    };
  }

  async function say(parts: readonly AnswerPart[], ...types: Exclude<AnswerPart["type"], "call">[]): Promise<void> {
    for (const part of parts) {
      if (part.type === "call" || !types.includes(part.type)) continue;
      if (part.type === "thinking") {
        await speak({ event: "thinking", summary: part.summary, model, opaque: part.opaque });
      } else if (part.type === "search") {
        const { type: _, sources, ...search } = part;
        await speak({ event: "web_search", ...search, sources: sources.slice(0, mostSources), model });
      } else if (part.text.trim() !== "") {
        lastSaid = part.text;
        await speak({ event: "text", text: part.text });
      }
    }
  }

  async function runCall(part: CallPart, refusal: ToolResult | undefined): Promise<void> {
    const args = await argsOf(part);
    const call = { tool: part.tool, args: hideContents(part.tool, args), call_id: ids.unique(part) };
    await speak({ event: "tool_start", ...call });
    const started = run.clock.now();
    const {
      text: result,
      isError: is_error,
      parts,
      isRefused = false,
    } = refusal && !signal.aborted
      ? refusal
      : await callTool(tools, part.tool, args, signal, {
          id: call.call_id,
          isCutOff: false,
          onOutput: tellOutput(call),
        });
    const duration_ms = run.clock.now() - started;
    await speak({ event: "tool_end", ...call, result, ...(parts && { parts }), is_error, duration_ms });
    if (isRefused) refused.add(part.tool, part.args);
    else refused.forget();
  }

  /** The arguments of a call; files that are given in them with their content are stored first. */
  async function argsOf({ tool, args: given }: CallPart): Promise<unknown> {
    const args = readArguments(given);
    const { attachments_folder: folder, attachment_limits: limits } = config;
    if (!args || folder === undefined || !hasContents(tool, args)) return args ?? given;
    const { storeContents } = await import("./files/store-contents.ts");
    return storeContents(args, folder, limits);
  }

  /** Tells what a tool prints, for whoever watches: no model reads it, and no file keeps it. */
  function tellOutput({ call_id }: { call_id: string }): OnOutput {
    return (text) => void run.emit({ event: "tool_output", call_id, text }).catch(() => {});
  }

  function finish(result: string): EventBody {
    if (result === "")
      throw new RunFailure("provider", `${provider.name} (${model}) answered with nothing`, { detail: "empty" });
    return { event: "finish", result, usage: totals.of(model) };
  }

  function stillTooLong(error: ProviderError): RunFailure {
    const tried = "also after its older part was summed up and long results were shortened";
    return new RunFailure(
      "provider",
      `the conversation is longer than the model takes, ${tried}: ask for less at once, choose a model with a larger context, or set context_window in cortex.json if it takes less than is known. ${error.message}`,
      { detail: "too_long", cause: error },
    );
  }

  function cutShort({ stop, detail }: ModelAnswer): RunFailure {
    const why = detail ? `: ${detail}` : "";
    if (stop === "refusal")
      return new RunFailure("provider", `${provider.name} (${model}) refused to answer${why}`, { detail: "refused" });
    const limit = config.max_tokens === undefined ? "its limit of tokens" : `max_tokens = ${config.max_tokens}`;
    return new RunFailure(
      "provider",
      `the answer of ${provider.name} (${model}) was cut off at ${limit}${why}: raise max_tokens, or ask for less`,
      { detail: "cut_off" },
    );
  }
}

/** An answer with what was said of it before it was cut off: its text is one. */
function withCut(cut: string, answer: ModelAnswer): ModelAnswer {
  if (cut === "") return answer;
  const parts = [...answer.parts];
  const at = parts.findIndex(({ type }) => type !== "thinking");
  const first = at === -1 ? undefined : parts[at];
  if (first?.type === "text") parts[at] = { type: "text", text: cut + first.text };
  else parts.splice(at === -1 ? parts.length : at, 0, { type: "text", text: cut });
  return { ...answer, parts };
}

/** A model that asks to go on is let, as long as model calls are left. */
function isFinal({ stop }: ModelAnswer, mayGoOn: boolean): boolean {
  return stop === "end" || (stop === "pause" && !mayGoOn);
}

function textOf(parts: readonly AnswerPart[]): string {
  return parts.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : [])).join("\n\n");
}

/** Whether a provider doesn't take a file that went along: its kind, its size, or what is in it. */
function isRefusalOfFile(error: unknown): error is ProviderError {
  if (!(error instanceof ProviderError) || ![400, 404, 413, 415, 422].includes(error.status ?? 0)) return false;
  return /image|picture|vision|pdf|document|file|audio|media|modal|inline_?data|content.type/i.test(error.message);
}

const tooManyTurns = (maxTurns: number): ToolResult => ({
  text: `Not run: this was the last of ${maxTurns} model calls (max_turns). No more tools can be called: answer with what you have.`,
  isError: true,
});
