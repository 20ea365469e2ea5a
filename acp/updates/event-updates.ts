/** The events of a session's runs as updates of the protocol, in order. The same events make the same updates, live and replayed. Pure. */
import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk";
import { isReplyTool } from "../../conversation/marks/spoken.ts";
import { worktreePaths } from "../../journal/worktrees/worktree-record.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { TextPieces } from "../../protocol/runs/text-pieces.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { CallUpdates } from "./call-updates.ts";
import { SessionPlan } from "./plan.ts";
import { fileLinks } from "./shown-files.ts";
import { SessionUsage } from "./usage.ts";

export type UpdatesOptions = {
  journal: string;
  /** The runs are turns of a long-lived agent: what its model writes is said to nobody, people hear its replies. */
  isAgent: boolean;
};

export class EventUpdates {
  readonly #options: UpdatesOptions;
  readonly #calls: CallUpdates;
  readonly #plan = new SessionPlan();
  readonly #usage = new SessionUsage();
  #pieces = new TextPieces();
  #lastWasThought = false;

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#calls = new CallUpdates(options.journal);
  }

  /** The folder in which the run works, as `start` told it. */
  get folder(): string | undefined {
    return this.#calls.folder;
  }

  /** @param isReplayed the prompt is told, too: an editor that has just sent it knows it */
  next(event: AgentEvent, isReplayed = false): SessionUpdate[] {
    const usage = this.#usage.next(event);
    const updates = [...this.#told(event, isReplayed), ...this.#planned(event)];
    if (usage) updates.push({ sessionUpdate: "usage_update", ...usage });
    if (updates.length > 0) this.#lastWasThought = updates.at(-1)?.sessionUpdate === "agent_thought_chunk";
    return updates;
  }

  #told(event: AgentEvent, isReplayed: boolean): SessionUpdate[] {
    const { isAgent } = this.#options;
    // What an agent says comes as a message of its own.
    const isSpeaking = isAgent && isReplyTool(textField(event, "tool"));
    switch (event.event) {
      case "request":
        this.#pieces = new TextPieces();
        return isReplayed && !isAgent ? this.#said(event, "prompt") : [];
      case "input":
        return isAgent ? [] : this.#said(event, "text");
      case "start":
        this.#calls.folder = this.#folderOf(event);
        return [...this.#calls.lost(), ...this.#text(event)];
      case "thinking":
        return this.#thought(textField(event, "summary"));
      case "retry":
        return [
          ...this.#text(event),
          ...this.#thought(`The model call failed, and is made again: ${textField(event, "reason")}`),
        ];
      case "tool_start":
        return isSpeaking ? [] : this.#calls.begin(event);
      case "tool_output":
        return this.#calls.print(event);
      case "tool_end":
        return isSpeaking ? [] : this.#calls.end(event);
      case "web_search":
        return this.#calls.search(event);
      default:
        return [...this.#text(event), ...(isTerminal(event) ? this.#calls.lost() : [])];
    }
  }

  #planned(event: AgentEvent): SessionUpdate[] {
    if (event.event !== "tool_end" || event["is_error"] === true) return [];
    const entries = this.#plan.next(textField(event, "tool"), event["args"], event["result"]);
    return entries ? [{ sessionUpdate: "plan", entries }] : [];
  }

  #text(event: AgentEvent): SessionUpdate[] {
    const piece = this.#options.isAgent ? "" : this.#pieces.next(event);
    return piece === "" ? [] : [agentSays(piece)];
  }

  #thought(text: string): SessionUpdate[] {
    if (text.trim() === "") return [];
    const apart = this.#lastWasThought ? `\n\n${text}` : text;
    return [{ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: apart } }];
  }

  #said(event: AgentEvent, field: "prompt" | "text"): SessionUpdate[] {
    const blocks: ContentBlock[] = [
      { type: "text", text: textField(event, field) },
      ...fileLinks(this.#options.journal, event["parts"]),
    ];
    return blocks.map((content) => ({ sessionUpdate: "user_message_chunk", content }));
  }

  #folderOf(event: AgentEvent): string | undefined {
    const { folder, worktree } = event;
    if (typeof worktree === "string") return worktreePaths(this.#options.journal, worktree).files;
    return typeof folder === "string" ? folder : undefined;
  }
}

export const agentSays = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});
