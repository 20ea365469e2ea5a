/** A question about a call, as the editor puts it to its user. Pure. */
import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { shapeOf, toolCallId } from "./call-updates.ts";
import { diffOf, textContent } from "./tool-shapes.ts";

/** @param event `permission` @param folder where its run works */
export function questionOf(event: AgentEvent, folder: string | undefined): ToolCallUpdate {
  const { args, call_id: callId, loop } = event;
  const [tool, why] = [textField(event, "tool"), textField(event, "why")];
  const toolCall = typeof callId === "string" ? callId : `question-${textField(event, "id")}`;
  if (loop === true)
    return {
      toolCallId: toolCallId(event, toolCall),
      title: "May the run go on?",
      kind: "other",
      content: textContent(why),
    };
  const shape = shapeOf(tool, args, folder);
  const diff = diffOf(args, folder);
  const written = diff.length === 0 && isRecord(args) && typeof args["content"] === "string" ? args["content"] : "";
  return {
    toolCallId: toolCallId(event, toolCall),
    ...shape,
    status: "pending",
    content: [...diff, ...textContent(written), ...textContent(why)],
  };
}

/** A question that came as a message: of a task of the agent, or whether it may write somewhere. */
export const questionInWords = (id: string, text: string): ToolCallUpdate => ({
  toolCallId: `question-${id}`,
  title: text.split("\n")[0] ?? text,
  kind: "other",
  status: "pending",
  content: textContent(text),
});
