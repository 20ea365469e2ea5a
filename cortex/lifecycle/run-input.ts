/** Inputs of a run, as they become part of its conversation. Pure. */
import type { Speaker } from "../../bus/runs/control.ts";
import { unmarked } from "../../conversation/system-message.ts";
import type { Request } from "../../protocol/runs/request.ts";

/**
 * What a run is told of an input; null: it isn't for whoever said it. The turn of a long-lived agent hears that agent
 * alone, whose inputs name where they come from; what a client says to any other run is text without marks of ours.
 */
export function inputFor({ agent }: Request, text: string, from: Speaker): string | null {
  if (agent !== undefined) return from === "agents" ? text : null;
  return from === "client" ? unmarked(text) : null;
}
