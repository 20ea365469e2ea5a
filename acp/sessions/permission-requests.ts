/**
 * Calls that wait for a person, put to the editor. Its answer decides as that of any other client: the first counts. What is decided
 * elsewhere takes its request back; an editor that goes away, or doesn't say, leaves the question to the others.
 */
import { setTimeout as delay } from "node:timers/promises";
import {
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { NoAgentsError } from "../../bus/agents/agent-calls.ts";
import { visibleLine } from "../../conversation/marks/plain-text.ts";
import { PermissionRules } from "../../protocol/settings/permissions.ts";
import { type AcpDeps, NothingRunsError } from "../base/acp-deps.ts";
import { AgentsRefusedError, askAgents } from "../base/ask-agents.ts";
import type { SessionOut } from "./session-out.ts";

/** Milliseconds after which the service is asked again that wasn't there. */
const againMs = 500;
/** A question stands in the run's file a moment before the service has it: the pauses between looks, in ms. */
const [firstLookMs, longestLookMs] = [20, 1000];

const allowOnce: PermissionOption = { optionId: "allow", name: "Allow once", kind: "allow_once" };
const rejectOnce: PermissionOption = { optionId: "deny", name: "Deny", kind: "reject_once" };

type Answer = { decision: "allow" | "deny"; always: boolean };
const answers: Record<string, Answer> = {
  allow: { decision: "allow", always: false },
  always: { decision: "allow", always: true },
  deny: { decision: "deny", always: false },
};

export class PermissionRequests implements Disposable {
  readonly #deps: AcpDeps;
  readonly #out: SessionOut;
  /** By the question's id. */
  readonly #open = new Map<string, AbortController>();

  constructor(deps: AcpDeps, out: SessionOut) {
    this.#deps = deps;
    this.#out = out;
  }

  /** Takes back what is asked; nothing is decided by that. */
  [Symbol.dispose](): void {
    for (const id of this.#open.keys()) this.forget(id);
  }

  /** Asks about a question, once. */
  ask(id: string, toolCall: ToolCallUpdate): void {
    if (this.#open.has(id)) return;
    const asking = new AbortController();
    this.#open.set(id, asking);
    void this.#askEditor(id, toolCall, asking.signal).catch((error: unknown) => {
      if (!asking.signal.aborted) this.#deps.log.warn({ id, err: error }, "a question couldn't be put to the editor");
    });
  }

  /** Takes the request of a question back: it is decided. */
  forget(id: string): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
  }

  async #askEditor(id: string, toolCall: ToolCallUpdate, signal: AbortSignal): Promise<void> {
    const always = await this.#alwaysOption(id, signal);
    if (signal.aborted) return;
    const { client, sessionId } = this.#out;
    const options = [allowOnce, ...(always ? [always] : []), rejectOnce];
    const request: RequestPermissionRequest = { sessionId, toolCall, options };
    const withdrawal = { cancellationSignal: signal, stopWaitingOnCancel: true };
    try {
      const { outcome } = await client.request(methods.client.session.requestPermission, request, withdrawal);
      const answer = outcome.outcome === "selected" ? answers[outcome.optionId] : undefined;
      if (answer && !signal.aborted) await this.#decide(id, answer, signal);
    } catch (error) {
      if (!signal.aborted)
        await this.#out.note(`This waits for an answer: cortex permissions allow ${id.slice(0, 8)}, or deny.`);
      throw error;
    }
  }

  /** The option that keeps a rule, which its name says; null where no rule could say it. */
  async #alwaysOption(id: string, signal: AbortSignal): Promise<PermissionOption | null> {
    for (let pauseMs = firstLookMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestLookMs)) {
      try {
        const { rules } = await askAgents(this.#deps, "permissions show", { id });
        const kept = PermissionRules.parse(rules).map(({ tool, match }) =>
          match === undefined ? tool : `${tool} ${match}`,
        );
        return kept.length === 0
          ? null
          : { optionId: "always", name: visibleLine(`Always allow ${kept.join(", ")}`), kind: "allow_always" };
      } catch (error) {
        if (!isForNow(error) && !(error instanceof AgentsRefusedError)) throw error;
        await delay(pauseMs, undefined, { ref: false });
      }
    }
    return null;
  }

  async #decide(id: string, { decision, always }: Answer, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await askAgents(this.#deps, "permissions decide", { id, decision, always });
        return;
      } catch (error) {
        if (error instanceof AgentsRefusedError) {
          await this.#out.note(error.message);
          // A rule that can't be kept: the call is answered all the same, this once.
          return always ? this.#decide(id, { decision, always: false }, signal) : undefined;
        }
        if (!isForNow(error)) throw error;
        await delay(againMs, undefined, { ref: false });
      }
    }
  }
}

const isForNow = (error: unknown) => error instanceof NoAgentsError || error instanceof NothingRunsError;
