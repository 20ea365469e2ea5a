/** The text and usage of a run so far, by the events of its file. */
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { addedSpent, nothingSpent, spentBy } from "../../../protocol/runs/spent.ts";
import { textField } from "../../../protocol/runs/text-field.ts";
import { UnfinishedText } from "../../../protocol/runs/unfinished-text.ts";
import type { Used } from "../ending/end-answer.ts";

export class AnswerProgress {
  #said: string[] = [];
  readonly #unfinished = new UnfinishedText();
  #spent = nothingSpent;
  #model: string | null = null;

  get said(): string {
    return [...this.#said, this.#unfinished.text].filter((text) => text.trim() !== "").join("\n\n");
  }

  get used(): Used {
    return { spent: this.#spent, model: this.#model };
  }

  apply(event: AgentEvent): void {
    const { model } = event;
    const unfinished = this.#unfinished.apply(event);
    if (event.event === "start") this.#said = [];
    else if (unfinished !== "") this.#said.push(unfinished);
    if (event.event === "text" && event["partial"] !== true) this.#said.push(textField(event, "text"));
    if ((event.event === "start" || event.event === "usage") && typeof model === "string") this.#model = model;
    this.#spent = addedSpent(this.#spent, spentBy(event, this.#spent) ?? nothingSpent);
  }
}
