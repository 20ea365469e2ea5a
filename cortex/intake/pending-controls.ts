/** The controls of a run that hasn't begun: its request is stored, and hasn't arrived or started yet. */
import { addInput, bytesOfInput } from "../model/input-bounds.ts";
import type { MachineInput } from "../model/run-state.ts";

/** An id that nobody asks for is soon forgotten, and only so much is remembered: strangers choose the ids. */
const rememberedMs = 60_000;
const maxIds = 1000;
const maxBytes = 16 * 1024 * 1024;

export class PendingControls {
  readonly #words = new Map<string, { inputs: MachineInput[]; bytes: number; since: number }>();
  #bytes = 0;

  keep(agentId: string, input: MachineInput): void {
    const words = this.#words.get(agentId) ?? { inputs: [], bytes: 0 };
    if (!addInput(words.inputs, input)) return;
    const bytes = bytesOfInput(input);
    this.#words.delete(agentId);
    this.#words.set(agentId, { inputs: words.inputs, bytes: words.bytes + bytes, since: performance.now() });
    this.#bytes += bytes;
    this.#makeRoom();
  }

  /** Whether something of this kind was said to an id. */
  has(agentId: string, type: MachineInput["type"]): boolean {
    return this.#inputsOf(agentId).some((input) => input.type === type);
  }

  /** Takes the controls of an id, once. */
  takeControls(agentId: string): MachineInput[] {
    const inputs = this.#inputsOf(agentId);
    this.#dropControls(agentId);
    return inputs;
  }

  #inputsOf(agentId: string): MachineInput[] {
    const words = this.#words.get(agentId);
    return words && performance.now() - words.since < rememberedMs ? words.inputs : [];
  }

  /** The oldest come first: forgets them while they are too old, too many or too long. */
  #makeRoom(): void {
    for (const [agentId, { since }] of this.#words) {
      const isOld = performance.now() - since >= rememberedMs;
      if (!isOld && this.#words.size <= maxIds && this.#bytes <= maxBytes) return;
      this.#dropControls(agentId);
    }
  }

  #dropControls(agentId: string): void {
    this.#bytes -= this.#words.get(agentId)?.bytes ?? 0;
    this.#words.delete(agentId);
  }
}
