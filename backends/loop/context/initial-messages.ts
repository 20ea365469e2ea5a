/** The messages that a run's conversation begins with: those of the runs before it, and its own prompt. Pure. */
import { repair } from "../../../conversation/repair.ts";
import type { Message, RunConfig } from "../../../protocol/runs/run-config.ts";

/** The prompt of a later attempt when the former was lost after the model had answered: a conversation has to end with the user. */
const goOn =
  "(The run was interrupted here. Go on from where you were; give an answer that broke off again, as a whole.)";

export type InitialMessages = {
  history: Message[];
  /** The user's new message, if there is one, and its files. */
  prompt: string | undefined;
  parts?: RunConfig["parts"];
};

/** A later attempt's history may hold what the former one was asked: it isn't said twice. */
export function initialMessages(config: RunConfig): InitialMessages {
  const history = repair(config.history ?? []);
  if (!config.prompt_in_history)
    return { history, prompt: config.prompt, ...(config.parts && { parts: config.parts }) };
  return { history, prompt: history.at(-1)?.role === "assistant" ? goOn : undefined };
}

/** Ids of calls that are unique in the whole conversation: some providers give none, others count from 1 in each answer. */
export class CallIds {
  readonly #taken: Set<string>;

  constructor(history: readonly Message[]) {
    this.#taken = new Set(history.flatMap((message) => message.calls ?? []).map((call) => call.call_id));
  }

  /** The call's own id if it is free, else one made of its tool's name. */
  unique(call: { call_id: string; tool: string }): string {
    let id = call.call_id;
    for (let number = 1; id === "" || this.#taken.has(id); number++) id = `${call.tool}-${number}`;
    this.#taken.add(id);
    return id;
  }
}
