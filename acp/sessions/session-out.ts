/** The way out to the editor of one session: updates in the order in which they were made, no faster than it reads. */
import { type AgentContext, methods, type SessionUpdate } from "@agentclientprotocol/sdk";

export type EditorAbilities = { hasNotices: boolean };

export class SessionOut {
  readonly client: AgentContext;
  readonly sessionId: string;
  readonly #abilities: EditorAbilities;
  #isLeft = false;

  constructor(client: AgentContext, sessionId: string, abilities: EditorAbilities) {
    this.client = client;
    this.sessionId = sessionId;
    this.#abilities = abilities;
  }

  /** Resolves when they are written. An editor that has gone away hears nothing any more: what it began goes on without it. */
  async send(updates: readonly SessionUpdate[]): Promise<void> {
    if (this.#isLeft) return;
    const { client, sessionId } = this;
    const sent = updates.map((update) => client.notify(methods.client.session.update, { sessionId, update }));
    await Promise.allSettled(sent);
  }

  /** Tells nothing from now on: the session is closed, or was opened anew. */
  leave(): void {
    this.#isLeft = true;
  }

  /** Tells a fact that is no part of the conversation; where the editor shows no notices, as a thought. */
  note(text: string): Promise<void> {
    return this.send([
      this.#abilities.hasNotices
        ? { sessionUpdate: "notice", severity: "info", title: text }
        : { sessionUpdate: "agent_thought_chunk", content: { type: "text", text } },
    ]);
  }
}
