/** The calls of tools of a run as updates: as they begin, while they print, and as they end. Pure. */
import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { filesContent } from "./shown-files.ts";
import { diffOf, kindOf, locationsOf, newFileOf, resultText, textContent, titleOf } from "./tool-shapes.ts";

/** Characters of what a command prints that are shown while it goes on: the last of them. */
const shownOutput = 8_000;

type OpenCall = { id: string; tool: string; args: unknown; output: string };

/** The id of a call within its session: providers number their calls anew in each run. */
export const toolCallId = ({ agent_id }: Pick<AgentEvent, "agent_id">, callId: string) => `${agent_id}:${callId}`;

export class CallUpdates {
  readonly #journal: string;
  /** Where the run works; undefined: in a folder of its own that nobody can open. */
  folder: string | undefined;
  /** Calls that haven't ended, by their `call_id`. */
  readonly #open = new Map<string, OpenCall>();

  constructor(journal: string) {
    this.#journal = journal;
  }

  begin(event: AgentEvent): SessionUpdate[] {
    const { args } = event;
    const [callId, tool] = [textField(event, "call_id"), textField(event, "tool")];
    const id = toolCallId(event, callId);
    this.#open.set(callId, { id, tool, args, output: "" });
    const content = diffOf(args, this.folder);
    return [
      {
        sessionUpdate: "tool_call",
        toolCallId: id,
        ...shapeOf(tool, args, this.folder),
        status: "in_progress",
        ...(content.length > 0 && { content }),
      },
    ];
  }

  print(event: AgentEvent): SessionUpdate[] {
    const call = this.#open.get(textField(event, "call_id"));
    if (!call) return [];
    call.output = `${call.output}${textField(event, "text")}`.slice(-shownOutput);
    return [{ sessionUpdate: "tool_call_update", toolCallId: call.id, content: textContent(call.output) }];
  }

  /** A call whose begin wasn't told begins with its end. */
  end(event: AgentEvent): SessionUpdate[] {
    const callId = textField(event, "call_id");
    const begun = this.#open.has(callId) ? [] : this.begin(event);
    const { id, tool, args } = this.#open.get(callId) ?? { id: callId, tool: "", args: null };
    this.#open.delete(callId);
    const content = this.#contentOf(event, tool, args);
    return [
      ...begun,
      {
        sessionUpdate: "tool_call_update",
        toolCallId: id,
        status: event["is_error"] === true ? "failed" : "completed",
        ...(content !== null && { content }),
      },
    ];
  }

  /** Null: what was shown at the begin of the call stays. */
  #contentOf(event: AgentEvent, tool: string, args: unknown): ToolCallContent[] | null {
    const { result, parts, is_error: isError } = event;
    if (isError !== true && diffOf(args, this.folder).length > 0) return null;
    const made = isError === true ? [] : newFileOf(tool, args, result, this.folder);
    if (made.length > 0) return made;
    return [...textContent(resultText(tool, result)), ...filesContent(this.#journal, parts)];
  }

  /** A search that the provider itself has made. */
  search(event: AgentEvent): SessionUpdate[] {
    const { queries, sources, error, seq } = event;
    const about = Array.isArray(queries) ? queries.filter((one) => typeof one === "string").join(", ") : "";
    const found = (Array.isArray(sources) ? sources : []).filter(isRecord).map(({ url, title }): ToolCallContent => {
      const [uri, name] = [String(url), String(title)];
      return { type: "content", content: { type: "resource_link", uri, name } };
    });
    return [
      {
        sessionUpdate: "tool_call",
        toolCallId: toolCallId(event, `search-${seq}`),
        ...shapeOf("web_search", { query: about }, undefined),
        status: error === undefined ? "completed" : "failed",
        content: error === undefined ? found : textContent(textField(event, "error")),
      },
    ];
  }

  /** Calls that will never end, since their run has, or its attempt was lost. */
  lost(): SessionUpdate[] {
    const ids = [...this.#open.values()].map(({ id }) => id);
    this.#open.clear();
    return ids.map((id) => ({ sessionUpdate: "tool_call_update", toolCallId: id, status: "failed" }));
  }
}

/** The facts of a call that a question about it tells, too. */
export const shapeOf = (tool: string, args: unknown, folder: string | undefined) => ({
  title: titleOf(tool, args),
  name: tool,
  kind: kindOf(tool),
  rawInput: args,
  locations: locationsOf(args, folder),
});
