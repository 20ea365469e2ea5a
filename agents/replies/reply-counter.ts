/** Counter of a turn's replies, by its run's events: whoever waits is told when there are none. Pure. */
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";

/** Tools after whose call an answer may yet come. */
const sendsOff = new Set(["spawn_subagent", "resume_task", "request_permission"]);

export class ReplyCounter {
  readonly #calls = new Map<string, string>();
  #replies = 0;
  #sentOff = 0;

  countEvent(event: AgentEvent): void {
    const call = textField(event, "call_id");
    if (event.event === "tool_start") this.#calls.set(call, textField(event, "tool"));
    if (event.event !== "tool_end" || event["is_error"] === true) return;
    const tool = this.#calls.get(call) ?? textField(event, "tool");
    if (tool === "reply") this.#replies++;
    if (sendsOff.has(tool)) this.#sentOff++;
  }

  /** Count of the replies that went out. */
  get replies(): number {
    return this.#replies;
  }

  /** Whether no answer has gone out, and none may come later. */
  get isSilent(): boolean {
    return this.#replies === 0 && this.#sentOff === 0;
  }
}
