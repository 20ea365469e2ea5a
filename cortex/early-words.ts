/** What is said to a run before it is one: its request is stored, and hasn't arrived or started yet. */
import type { Input } from "./table.ts";

/** An id that nobody asks for is soon forgotten, and only so many are remembered. */
const rememberedMs = 60_000;
const maxIds = 1000;

export class EarlyWords {
  readonly #words = new Map<string, { inputs: Input[]; since: number }>();

  keep(agentId: string, input: Input): void {
    const { inputs } = this.#words.get(agentId) ?? { inputs: [] };
    this.#words.delete(agentId);
    this.#words.set(agentId, { inputs: [...inputs, input], since: performance.now() });
    const [oldest] = this.#words.keys();
    if (this.#words.size > maxIds && oldest !== undefined) this.#words.delete(oldest);
  }

  /** Whether something of this kind was said to an id. */
  has(agentId: string, type: Input["type"]): boolean {
    return this.#inputsOf(agentId).some((input) => input.type === type);
  }

  /** What was said to an id, once. */
  take(agentId: string): Input[] {
    const inputs = this.#inputsOf(agentId);
    this.#words.delete(agentId);
    return inputs;
  }

  #inputsOf(agentId: string): Input[] {
    const words = this.#words.get(agentId);
    return words && performance.now() - words.since < rememberedMs ? words.inputs : [];
  }
}
