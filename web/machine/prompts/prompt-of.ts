/**
 * The first messages sent to a run's model: the instruction, what it is about, the conversation before, and the prompt.
 */
import { findEvent } from "../../../journal/runs/read-run.ts";
import { sentPrompt } from "../../../journal/sent-prompts/sent-prompts.ts";
import { loadPersonas } from "../../../personas/load.ts";
import { cutStrings } from "../../../protocol/json/cut-strings.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import type { Reasoning } from "../../../protocol/runs/run-config.ts";
import { textField } from "../../../protocol/runs/text-field.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { RunPrompt } from "../records/run-records.ts";
import { saidBeforeRun } from "./said-before-run.ts";

/** Characters of a text that is told, and of a message before; messages before, and characters of all of them. */
const [longestText, longestMessage, mostMessages, mostOfMessages] = [400_000, 20_000, 400, 1_000_000];

/** @throws WorkspaceError `not_found` for a run whose request isn't known */
export async function promptOf({ journal }: { journal: string }, id: string): Promise<RunPrompt> {
  const request = await findEvent(journal, id, ["request"]);
  if (!request) throw new WorkspaceError("not_found", `run ${id} has no file yet, or none any more`);
  const { messages, isWhole } = await saidBeforeRun(journal, request);
  const shown = newest(messages.map((message) => cutStrings(message, longestMessage)));
  return {
    ...systemText(journal, id, request),
    messages: shown.map(withoutSignatures),
    is_whole: isWhole && shown.length === messages.length,
    prompt: cut(textField(request, "prompt")),
  };
}

function systemText(
  journal: string,
  id: string,
  request: AgentEvent,
): Pick<RunPrompt, "instruction" | "context" | "origin"> {
  const sent = sentPrompt(journal, id);
  if (sent) return { instruction: cut(sent.instruction), context: sent.context || null, origin: "sent" };
  const { instruction, agent, conversation, persona = "default" } = request;
  const isOwn = typeof instruction === "string" && (agent !== undefined || conversation !== undefined);
  const text = isOwn ? instruction : loadPersonas(journal).personas.get(String(persona))?.instruction;
  return {
    instruction: text === undefined ? null : cut(text),
    context: null,
    origin: text === undefined ? "unknown" : "rebuilt",
  };
}

const cut = (text: string) => text.slice(0, longestText).toWellFormed();

function newest<Message>(messages: readonly Message[]): Message[] {
  let size = 0;
  const from = messages.findLastIndex((message) => (size += JSON.stringify(message).length) > mostOfMessages) + 1;
  return messages.slice(Math.max(from, messages.length - mostMessages));
}

/** The signed blocks of reasoning are for their provider alone, and no text. */
function withoutSignatures<Message extends { role: string; reasoning?: Reasoning[] | undefined }>(
  message: Message,
): Message {
  if (!message.reasoning) return message;
  return { ...message, reasoning: message.reasoning.map((block) => ({ ...block, opaque: undefined })) };
}
