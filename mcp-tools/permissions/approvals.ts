/**
 * Has a person asked about a call, and waits for the answer, however long it takes and whoever dies meanwhile. A call that was
 * allowed is noted on the disk before it begins: it is made once.
 */
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { noteBegun, readQuestion, wasBegun } from "../../journal/permissions/questions.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import { hideContents } from "../../protocol/runs/hide-contents.ts";
import { type CallQuestion, QuestionAnswer } from "../../protocol/permissions/call-question.ts";
import type { PermissionRule } from "../../protocol/settings/permissions.ts";
import type { AgentsService } from "../tool/agents-link.ts";
import { shownArgs } from "./shown-args.ts";

/** Milliseconds after which a question is put again: the agents' service may be away, and comes back. */
const againMs = 500;

/**
 * @field callId the call's in its run's file, where the client says it: the same call again is the same question
 * @field isCutOff it was made before, and its answer got lost: nobody is asked again
 * @field action of a workspace's agent: whether an admin is asked
 * @field waitSeconds how long it waits; absent: as the settings say
 * @field isRepeatable made a second time under the question's id it changes nothing more
 */
export type AskedCall = {
  run: string;
  tool: string;
  args: unknown;
  why: string;
  rules: PermissionRule[];
  loop?: boolean;
  action?: CallQuestion["action"];
  waitSeconds?: number | undefined;
  callId?: string | undefined;
  isCutOff: boolean;
  isRepeatable: boolean;
  signal: AbortSignal;
};

/** `id`: of the question, by which what the call changes is changed once. */
export type Approval = { isAllowed: true; id: string } | { isAllowed: false; text: string };

export class Approvals {
  readonly #journal: string;
  readonly #agents: AgentsService;
  readonly #log: Logger;
  /** Questions that a call waits on here: an equal one that comes meanwhile is another. */
  readonly #waiting = new Set<string>();

  constructor(journal: string, agents: AgentsService, log: Logger) {
    this.#journal = journal;
    this.#agents = agents;
    this.#log = log;
  }

  /** Whether a call, by its own id, was asked about before, by this program or by the one before it. */
  wasAsked(call: AskedCall): boolean {
    return call.callId !== undefined && readQuestion(this.#journal, this.#idOf(call)) !== null;
  }

  /** @throws when the signal aborts */
  async ask(call: AskedCall): Promise<Approval> {
    const id = this.#idOf(call);
    this.#waiting.add(id);
    try {
      const { state, by = "", reason } = await this.#answer(id, call);
      if (state === "unknown") return refused(call, cutOff);
      if (state === "over") return refused(call, "isn't made: its run is over");
      if (state === "deny") return refused(call, denial(call, by, reason));
      // Nobody would read what comes of it: whoever makes the call again finds it allowed.
      call.signal.throwIfAborted();
      failpoint("call-allowed");
      const isFirst = await noteBegun(this.#journal, id);
      failpoint("call-begun");
      if (isFirst || call.isRepeatable) return { isAllowed: true, id };
      return refused(call, cutOff);
    } finally {
      this.#waiting.delete(id);
    }
  }

  async #answer(id: string, call: AskedCall): Promise<QuestionAnswer> {
    const { run, tool, args, why, rules, loop, action, waitSeconds, callId, isCutOff, signal } = call;
    const question = {
      id,
      tool,
      args: shownArgs(hideContents(tool, args)),
      why: why.slice(0, 4000),
      rules,
      ...(loop && { loop }),
      ...(action && { action }),
      ...(waitSeconds !== undefined && { wait_seconds: waitSeconds }),
      ...(callId !== undefined && { call_id: callId }),
      ...(isCutOff && { known_only: true }),
    };
    for (let isTold = false; ; ) {
      signal.throwIfAborted();
      const answer = await this.#agents.ask({ run_id: run, call_id: id, tool: "ask_permission", args: question });
      if (answer.ok) {
        const said = QuestionAnswer.parse(answer.result);
        if (said.state !== "open") return said;
        continue;
      }
      if (!isTold)
        this.#log.warn({ agent_id: run, tool, error: answer.error }, "a call waits: nobody can be asked now");
      isTold = true;
      await delay(againMs, undefined, { signal });
    }
  }

  /** Names the question. Where the client doesn't name its calls, an equal one is another as soon as the one before was begun. */
  #idOf({ run, tool, args, loop = false, callId }: AskedCall): string {
    const content = createHash("sha256")
      .update(JSON.stringify(args) ?? "")
      .digest("hex");
    for (let number = 0; ; number++) {
      const name = JSON.stringify([run, tool, content, loop, callId ?? number]);
      const id = createHash("sha256").update(name).digest("hex").slice(0, 32);
      if (callId !== undefined || (!wasBegun(this.#journal, id) && !this.#waiting.has(id))) return id;
    }
  }
}

const cutOff = "was cut off: whether it was done isn't known. Look before you repeat it";

const refused = ({ tool }: AskedCall, why: string): Approval => ({ isAllowed: false, text: `${tool} ${why}.` });

function denial({ loop }: AskedCall, by: string, reason?: string): string {
  if (by === "timeout") return "denied: nobody answered";
  const said = reason === undefined ? "" : ` (${JSON.stringify(reason)})`;
  return `denied by ${by}${said}${loop ? "" : ": don't try it in another way"}`;
}
