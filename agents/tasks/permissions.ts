/**
 * A background agent asks its user for something. The user is asked once, where they last were; the agent that speaks to
 * them hears of it silently, when it is asked and when it is decided. A question is kept before it is put, and put again
 * after a crash: its ids make it one. It is answered once, also after a restart.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { isAway } from "../../bus/runs/ask-again.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import { isMachineFault } from "../../files/machine-fault.ts";
import type { AskedPermission, InboxItem } from "../../protocol/agents/agent-files.ts";
import { channelTypes } from "../../protocol/agents/agents-settings.ts";
import type { PermissionDecision } from "../../protocol/agents/channel.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import { type CallQuestions, DecisionError } from "../permissions/call-questions.ts";
import type { AgentDeps } from "../record/agent-deps.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import type { AgentDirectory } from "../record/directory.ts";
import type { Owners } from "../inbox/owners.ts";
import { isOwner } from "../inbox/access.ts";

type PermissionDeps = Pick<AgentDeps, "log" | "sendReply" | "sendNotice"> & {
  directory: AgentDirectory;
  owners: Pick<Owners, "all">;
  questions: CallQuestions;
};

export type Asked = AskedPermission & { agent_id: string };

/** A question that couldn't be put is put again after so long. */
const againMs = 2000;

/** Of the message that tells an agent what was decided. */
export const decidedId = (token: string) => `decided-${token}`;

export class Permissions {
  readonly #deps: PermissionDeps;

  constructor(deps: PermissionDeps) {
    this.#deps = deps;
  }

  /** All questions, the open ones first. */
  get all(): Asked[] {
    return this.#deps.directory.all
      .flatMap((agent) => agent.state.asked.map((asked) => ({ ...asked, agent_id: agent.id })))
      .toSorted((a, b) => Number(a.decision !== undefined) - Number(b.decision !== undefined) || b.ts - a.ts);
  }

  /**
   * Asks the user.
   * @param key names the call that asks: made again, it is the same question
   * @returns the question's token; null when there is nobody to ask
   */
  async request(agent: AgentRecord, key: string, path: string, reason: string): Promise<string | null> {
    const known = agent.state.asked.find((asked) => asked["key"] === key);
    const channel = known?.channel ?? this.#deps.directory.foreground?.state.last_channel;
    if (!channel) return null;
    const asked = known ?? { token: randomBytes(16).toString("hex"), path, reason, ts: Date.now(), channel, key };
    if (!known) await agent.update({ asked: [...agent.state.asked, asked] });
    failpoint("permission-kept");
    await this.#send(agent, asked);
    return asked.token;
  }

  /** Puts what a crash has left unsaid. Resolves when all of it is said. */
  async sendUnsent(): Promise<void> {
    const { directory, log } = this.#deps;
    for (const agent of directory.all) {
      const { quarantine } = agent.deps;
      const unsaid = () => agent.state.asked.find((asked) => isUnsaid(agent, asked));
      for (let asked = unsaid(); asked; asked = unsaid())
        try {
          await this.#send(agent, asked);
        } catch (error) {
          const isOurFault = isAway(error) || isMachineFault(error);
          const bytes = JSON.stringify(asked);
          if (!isOurFault && (await quarantine.failed(questionKey(asked), error, { bytes })) === "quarantined") {
            log.error({ agent: agent.id, err: error }, "a question of an agent can't be put: it was put away");
            continue;
          }
          log.warn({ agent: agent.id, err: error }, "a question of an agent waits for the bus");
          await delay(againMs, undefined, { ref: false });
        }
    }
  }

  /** Put again, it is the same question: each part of it has an id. */
  async #send(agent: AgentRecord, { token, path, reason, channel }: AskedPermission): Promise<void> {
    const { directory, sendReply } = this.#deps;
    const { foreground } = directory;
    const text = `May ${agent.descriptor.name ?? "a sub-agent"} write to ${path}? ${reason}`;
    await sendReply({
      id: `permission-${token}`,
      channel,
      text: `${text}\nAnswer: cortex permissions allow ${token.slice(0, 8)}, or deny`,
      metadata: { permission: { token, text } },
      agent_id: agent.id,
    });
    if (foreground && foreground !== agent)
      await foreground.post(notice(`asked-${token}`, `The user was asked: ${text}`));
    const isPut = (one: AskedPermission) => (one.token === token ? { ...one, is_put: true } : one);
    await agent.update({ asked: agent.state.asked.map(isPut) });
    agent.deps.publishEvent(agent.id, "permission_requested", { token, path });
  }

  /** Takes a decision that came by a channel. Of anybody but an owner, or a second one, nothing comes. */
  async handleDecision(token: string, said: PermissionDecision): Promise<void> {
    const { decision, userId } = said;
    const question = this.#deps.questions.get(token);
    if (question) return this.#decideCall(question, said);
    const found = this.#find(token);
    if (!found) return this.#deps.log.warn({ token }, "a decision on what nobody has asked");
    const { type, channelId } = found.asked.channel;
    if (!isOwner({ type, channelId, userId }, this.#deps.owners.all))
      return this.#deps.log.warn({ token, userId }, "a decision of somebody who isn't an owner: passed over");
    await this.decide(token, decision);
  }

  /** Takes a decision on a call. Whoever comes second is told so, where they were asked. */
  async #decideCall(
    question: KeptQuestion,
    { decision, userId, always, channelType }: PermissionDecision,
  ): Promise<void> {
    const { log, owners, questions, sendNotice } = this.#deps;
    const { id, channel } = question;
    const type = channelType ?? channel?.type ?? "";
    const channelId = type === channel?.type ? channel.channelId : "main";
    if (!isOwner({ type, channelId, userId }, owners.all))
      return log.warn({ id, userId }, "a decision of somebody who isn't an owner: passed over");
    const by = `${type}:${userId ?? channelId}`;
    const tell = async (what: string, text: string) => channel && sendNotice(`${what}-${id}`, channel, text);
    try {
      if (await questions.decide(id, decision, by, always)) return;
      const { decision: first, by: who } = questions.get(id) ?? question;
      await tell("late", `This was decided before: ${first === "allow" ? "allowed" : "denied"} by ${who}.`);
    } catch (error) {
      if (!(error instanceof DecisionError)) throw error;
      await tell("undecided", error.message);
    }
  }

  /** Settles a question. False: there is none that is open. */
  async decide(token: string, decision: "allow" | "deny"): Promise<boolean> {
    const found = this.#find(token);
    if (!found) return false;
    const { agent, asked } = found;
    const isFirst = asked.decision === undefined;
    const decided = asked.decision ?? decision;
    if (isFirst)
      await agent.update({
        asked: agent.state.asked.map((one) => (one.token === token ? { ...one, decision } : one)),
        ...(decision === "allow" && { permissions: [...new Set([...agent.state.permissions, asked.path])] }),
      });
    // Said again after a crash, these are known by their ids.
    const words = decided === "allow" ? "allowed" : "denied";
    const text = `[Permission ${words}] to write to ${asked.path}`;
    await agent.post({ id: decidedId(token), ts: Date.now(), type: "system", origin: "permissions", text });
    const { foreground } = this.#deps.directory;
    if (foreground && foreground !== agent)
      await foreground.post(notice(`told-${token}`, `${text} (asked by ${agent.descriptor.name ?? agent.id})`));
    if (isFirst) agent.deps.publishEvent(agent.id, "permission_decided", { token, decision });
    return isFirst;
  }

  #find(token: string): { agent: AgentRecord; asked: AskedPermission } | null {
    for (const agent of this.#deps.directory.all) {
      const asked = agent.state.asked.find((one) => one.token === token);
      if (asked) return { agent, asked };
    }
    return null;
  }
}

const questionKey = ({ token }: AskedPermission) => `question:${token}`;

/** Whether a question waits to be put. One for a channel that the settings no longer have waits to be decided at the machine. */
function isUnsaid({ deps }: AgentRecord, asked: AskedPermission): boolean {
  const { decision, is_put, channel } = asked;
  if (decision !== undefined || is_put || deps.quarantine.has(questionKey(asked))) return false;
  return channelTypes(deps.settings().channels).includes(channel.type);
}

const notice = (id: string, text: string): InboxItem => ({
  id,
  ts: Date.now(),
  type: "system",
  silent: true,
  origin: "permissions",
  text,
});
