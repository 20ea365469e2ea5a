/**
 * A conversation of chaos: a message, a turn that replies and sends a task off, the task's run, its notice, and a turn that
 * replies again; where it is wanted, it is compacted then and goes on. What the model answers follows from what was said and
 * done so far alone: asked twice, it answers the same.
 */
import { readdirSync } from "node:fs";
import { agentIdOf } from "../../../agents/record/agent-id.ts";
import { agentsFolder, inboxFile, readDescriptor, readState } from "../../../journal/agents/agent-files.ts";
import type { Adapter, AgentsSystem } from "../../agents/agents-system.ts";
import type { Block, Conversation } from "../../agents/conversation.ts";
import type { PlayedTurn } from "../../support/providers/played.ts";
import { textOf } from "../../support/journal-processes.ts";

const type = "alpha";

export class Talk {
  /** The word by which it is known, and the channel's id. */
  readonly word: string;
  readonly agent: string;
  readonly channel: Adapter;
  /** The user's messages, and the replies to come. */
  readonly said: string[] = [];
  readonly replies: string[] = [];
  readonly #system: AgentsSystem;

  private constructor(system: AgentsSystem, channel: Adapter, word: string) {
    this.#system = system;
    this.channel = channel;
    this.word = word;
    this.agent = agentIdOf({ kind: "main", connector: type, channelId: word });
  }

  static async begin(system: AgentsSystem, word: string): Promise<Talk> {
    const talk = new Talk(system, await system.channel(type), word);
    system.think(word, (conversation) => thoughtOf(conversation, word));
    await talk.#say(`please ${word}`, `working ${word}`, `done ${word}`);
    return talk;
  }

  /** Says something more, to an agent that has been compacted. */
  goOn(): Promise<void> {
    return this.#say(`and now ${this.word}`, `after ${this.word}`);
  }

  async #say(text: string, ...replies: string[]): Promise<void> {
    this.said.push(text);
    this.replies.push(...replies);
    await this.channel.say(text, { channelId: this.word, id: `${this.word}-${this.said.length}` });
  }

  /** Its sub-agents. */
  get tasks(): string[] {
    const { journal } = this.#system;
    return readdirSync(agentsFolder(journal)).filter((id) => {
      const isMade = textOf(`${agentsFolder(journal)}/${id}/descriptor.json`) !== "";
      return isMade && readDescriptor(journal, id).parent === this.agent;
    });
  }

  /** Lists the messages that wait to be said to an agent. */
  waiting(agent: string): string[] {
    const waiting = new Set<string>();
    for (const line of textOf(inboxFile(this.#system.journal, agent)).split("\n").slice(0, -1)) {
      const { id, done } = JSON.parse(line) as { id?: string; done?: string[] };
      if (id !== undefined) waiting.add(id);
      for (const one of done ?? []) waiting.delete(one);
    }
    return [...waiting];
  }

  /** Whether everything was said, and nobody has anything to do any more. */
  get isOver(): boolean {
    const { journal } = this.#system;
    const isIdle = (agent: string) =>
      textOf(`${agentsFolder(journal)}/${agent}/state.json`) !== "" &&
      readState(journal, agent).turn === null &&
      this.waiting(agent).length === 0;
    const heard = new Set(this.channel.replies.map(({ text }) => text));
    return this.replies.every((text) => heard.has(text)) && [this.agent, ...this.tasks].every(isIdle);
  }
}

function thoughtOf({ messages, tools, said }: Conversation, word: string): PlayedTurn {
  const all = said.join("\n");
  if (all.includes("Write the summary now")) return { text: `On ${word}.` };
  if (!tools.includes("spawn_subagent")) return { text: `result ${word}` };
  const calls = messages
    .flatMap(({ content }) => content)
    .filter((block): block is Extract<Block, { type: "tool_use" }> => block.type === "tool_use");
  const replied = calls.map(({ input }) => input["text"]);
  const reply = (text: string) => ({ tool: "reply", args: { text: `${text} ${word}`, channelId: word } });
  if (all.includes(`and now ${word}`))
    return replied.includes(`after ${word}`) ? { text: "I have gone on." } : { calls: [reply("after")] };
  if (!replied.includes(`working ${word}`)) return { text: "I begin.", calls: [reply("working")] };
  if (!calls.some(({ name }) => name === "spawn_subagent"))
    return { calls: [{ tool: "spawn_subagent", args: { description: `job ${word}`, input: `do ${word}` } }] };
  if (!/\[Task \w+ completed\]/.test(all)) return { text: "I wait." };
  return replied.includes(`done ${word}`) ? { text: "I have ended." } : { calls: [reply("done")] };
}
