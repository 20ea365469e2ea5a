/** Lets in what a run may be told: as its conversation takes it, and no more than a run can bear. */
import type { InputAccess } from "../../bus/runs/control.ts";
import { unmarked } from "../../conversation/marks/system-message.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import { attachmentRules } from "../../journal/attachments/take-attachments.ts";
import { inputBounds, InputCount } from "../model/input-bounds.ts";
import type { MachineInput } from "../model/run-state.ts";
import type { RunScope } from "./run-scope.ts";

type SteeringInput = Extract<MachineInput, { type: "input" }>;

export class RunInputs {
  readonly #scope: RunScope;
  readonly #count = new InputCount();
  readonly #queue = new SerialQueue();
  /** Ids of those that are told, or about to be. */
  readonly #ids = new Set<string>();

  constructor(scope: RunScope) {
    this.#scope = scope;
  }

  /** Gives an input to the run, or refuses it. */
  step(input: SteeringInput): Promise<void> {
    const { machine } = this.#scope;
    const admitted = this.#admit(input);
    if (admitted === null || this.#isRepeated(admitted)) return Promise.resolve();
    if (!this.#count.begin(admitted))
      return this.#count.refused === 1 ? machine.inTurn(() => this.#tellRefused()) : Promise.resolve();
    if (admitted.id !== undefined) this.#ids.add(admitted.id);
    return this.#queue.run(() => this.#give(admitted)).finally(() => this.#count.end(admitted));
  }

  /** The same id again is told nobody, also where a former cortex has told it. */
  #isRepeated({ id }: SteeringInput): boolean {
    return id !== undefined && (this.#ids.has(id) || this.#scope.inputs.has(id));
  }

  /** One that brings files is told when they are stored, and what is said behind it after it. */
  async #give({ attachments, ...input }: SteeringInput): Promise<void> {
    const { machine, context, record } = this.#scope;
    if (attachments === undefined) return machine.step(input);
    try {
      const rules = attachmentRules(context.settings());
      const parts = await context.files.takeAttachments(attachments, rules, record.work_folder);
      return await machine.step({ ...input, parts });
    } catch (error) {
      if (!(error instanceof AttachmentError)) throw error;
      await machine.inTurn(() => this.#tellNotTaken(error.message));
    }
  }

  async #tellNotTaken(error: string): Promise<void> {
    if (this.#scope.machine.run.state !== "running") return;
    await this.#scope.writeOwn({
      event: "error",
      error: `an input isn't told: ${error}`,
      reason: "config",
      terminal: false,
    });
  }

  #admit(input: SteeringInput): SteeringInput | null {
    const { record, context, agentId } = this.#scope;
    const text = inputFor(record.request, input.text, input.from);
    if (text !== null) return { ...input, text };
    context.log.warn(
      { agent_id: agentId, agent: record.request.agent, from: input.from },
      "an input is refused: what is said to the turn of an agent goes to that agent (cortex chat --agent ID)",
    );
    return null;
  }

  /** Said once: whoever says more than a run can take would fill its file with this, too. */
  async #tellRefused(): Promise<void> {
    const { inputs, bytes } = inputBounds.whole;
    const message = `inputs are refused: more is said to this run than it takes in (at most ${inputs} inputs, ${bytes / 1024 / 1024} MiB)`;
    this.#scope.context.log.warn({ agent_id: this.#scope.agentId }, message);
    if (this.#scope.machine.run.state === "running") await this.#scope.writeOwn({ event: "info", message });
  }
}

/**
 * Builds the text that a run is told of an input; null: it isn't for the one who said it. The turn of a long-lived
 * agent hears that agent alone, whose inputs name where they come from; what a client says to any other run is text
 * without marks of ours.
 */
function inputFor({ agent }: Request, text: string, from: InputAccess): string | null {
  if (agent !== undefined) return from === "agents" ? text : null;
  return from === "client" ? unmarked(text) : null;
}
