/** What a run has said and used so far, by the events of its file. */
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { addedSpent, nothingSpent, spentBy } from "../../protocol/runs/spent.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { Used } from "./end-answer.ts";

export class AnswerProgress {
  #said: string[] = [];
  #spent = nothingSpent;
  #model: string | null = null;

  get said(): string {
    return this.#said.join("\n\n");
  }

  get used(): Used {
    return { spent: this.#spent, model: this.#model };
  }

  apply(event: AgentEvent): void {
    const { model } = event;
    if (event.event === "start") this.#said = [];
    if (event.event === "text") this.#said.push(textField(event, "text"));
    if ((event.event === "start" || event.event === "usage") && typeof model === "string") this.#model = model;
    this.#spent = addedSpent(this.#spent, spentBy(event, this.#spent) ?? nothingSpent);
  }
}
