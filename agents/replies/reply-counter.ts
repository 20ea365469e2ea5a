/** What a turn has said to people, as its run's events tell: whoever waits is told when that is nothing. Pure. */
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";

/** Calls after which something of the turn is yet to come. */
const sendsOff = new Set(["spawn_subagent", "resume_task", "request_permission"]);

export class Said {
  readonly #calls = new Map<string, string>();
  #replies = 0;
  #sentOff = 0;

  take(event: AgentEvent): void {
    const call = textField(event, "call_id");
    if (event.event === "tool_start") this.#calls.set(call, textField(event, "tool"));
    if (event.event !== "tool_end" || event["is_error"] === true) return;
    const tool = this.#calls.get(call) ?? textField(event, "tool");
    if (tool === "reply") this.#replies++;
    if (sendsOff.has(tool)) this.#sentOff++;
  }

  /** How many replies went out. */
  get replies(): number {
    return this.#replies;
  }

  /** Whether people hear nothing of it, now or later. */
  get isNothing(): boolean {
    return this.#replies === 0 && this.#sentOff === 0;
  }
}
