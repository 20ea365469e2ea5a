/** A real cortex that answers with a played model, and workspaces on it, each in a database of its own. */
import { openBus } from "../../../bus/connection/connect.ts";
import { addressAs, readBusAccess } from "../../../journal/access/endpoints.ts";
import { attachmentsFolder } from "../../../journal/attachments/take-attachments.ts";
import { followedFiles } from "../../../journal/runs/followed-files.ts";
import { logOf } from "../../../proc/logging/log.ts";
import { answerSettings, type WorkspaceSettings } from "../../../protocol/settings/workspace-settings.ts";
import { createAgent } from "../../../workspace/agents/agents.ts";
import { AnswerEngine } from "../../../workspace/answers/answer-engine.ts";
import { DecisionDelivery } from "../../../workspace/approvals/decision-delivery.ts";
import { ThreadWatch } from "../../../workspace/background/thread-watch.ts";
import type { DatabaseTarget } from "../../../workspace/database/connection/open-database.ts";
import { openWorkspaceStore } from "../../../workspace/database/changes/store.ts";
import { LiveFeed } from "../../../workspace/live/live-feed.ts";
import { memberOf } from "../../../workspace/people/access.ts";
import { createUser } from "../../../workspace/people/members.ts";
import { type AgentConfig, NewAgent } from "../../../workspace/records/agent.ts";
import type { WorkspaceEvent } from "../../../workspace/records/events.ts";
import type { LivePiece } from "../../../workspace/records/live-pieces.ts";
import type { Task, TaskStatus } from "../../../workspace/records/task.ts";
import type { Message } from "../../../workspace/records/thread.ts";
import { readTask } from "../../../workspace/tasks/tasks.ts";
import { listMessages, sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread } from "../../../workspace/threads/threads.ts";
import { createWorkspace } from "../../../workspace/workspaces.ts";
import { personaFiles } from "../../../web/persona-files.ts";
import { CortexSystem } from "../../support/cortex-system.ts";
import { patienceMs } from "../../support/patience.ts";
import { type PlayedAnthropic, startAnthropic } from "../../support/providers/anthropic.ts";
import type { Reply } from "../../support/providers/played.ts";
import { zoneAtNoon } from "../../support/zone-at-noon.ts";

/** The question to the played model: its system text, and the conversation as texts, each behind its role. */
export type AskedModel = { system: string; said: string[]; body: Record<string, unknown> };
export type Mind = (asked: AskedModel) => string | Reply | Promise<string | Reply>;

/** A cortex and a model for all tests of a file. What the model says is told by a word in what it is asked. */
export class AnswerSystem implements AsyncDisposable {
  readonly cortex: CortexSystem;
  readonly model: PlayedAnthropic;
  readonly asked: AskedModel[] = [];
  readonly #minds: Map<string, Mind>;

  private constructor(cortex: CortexSystem, model: PlayedAnthropic, minds: Map<string, Mind>, asked: AskedModel[]) {
    this.cortex = cortex;
    this.model = model;
    this.#minds = minds;
    this.asked = asked;
  }

  /** @param files of the journal, there before cortex starts */
  static async start(files: Record<string, string> = {}): Promise<AnswerSystem> {
    const minds = new Map<string, Mind>();
    const asked: AskedModel[] = [];
    const model = await startAnthropic([], {
      answer: async (body) => {
        const question = askedIn(body as Record<string, unknown>);
        asked.push(question);
        const word = minds.keys().find((one) => triggerOf(question).includes(one)) ?? "";
        const thought = await (minds.get(word)?.(question) ?? "I have no mind of this.");
        return typeof thought === "string" ? { turn: { text: thought } } : thought;
      },
    });
    const env = { ANTHROPIC_API_KEY: "sk-ant-of-nobody", ANTHROPIC_BASE_URL: model.url };
    const cortex = await CortexSystem.start({
      settings: { default_backend: "anthropic", max_concurrent: 32 },
      env,
      files,
    });
    return new AnswerSystem(cortex, model, minds, asked);
  }

  /** Sets the answer of the model where this word was last said. */
  think(word: string, mind: Mind): void {
    this.#minds.set(word, mind);
  }

  askedOf(word: string): AskedModel[] {
    return this.asked.filter((asked) => triggerOf(asked).includes(word));
  }

  /** A workspace with a thread, in a database of its own, and an engine that answers there. */
  async newRoom(target: DatabaseTarget, settings: WorkspaceSettings = {}): Promise<Room> {
    const store = await openWorkspaceStore(target, personaFiles(this.cortex.journal));
    const { user } = await createUser(store, "Ada");
    const { id: workspaceId } = await createWorkspace(store, "Garden", user.id);
    const actor = await memberOf(store, workspaceId, user.id);
    const { id: threadId } = await createThread(store, "Seeds", actor);
    return new Room(this, { store, target, actor, threadId, settings: answerSettings(settings) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cortex[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
  }
}

type RoomParts = {
  store: Awaited<ReturnType<typeof openWorkspaceStore>>;
  target: DatabaseTarget;
  actor: Awaited<ReturnType<typeof memberOf>>;
  threadId: string;
  settings: ReturnType<typeof answerSettings>;
};

export class Room implements AsyncDisposable {
  readonly store: RoomParts["store"];
  readonly actor: RoomParts["actor"];
  readonly threadId: string;
  readonly place: { threadId: string; forkId: string | null };
  readonly pieces: LivePiece[] = [];
  readonly #system: AnswerSystem;
  readonly #parts: RoomParts;
  #engine: { stop: () => Promise<void> } | null = null;

  constructor(system: AnswerSystem, parts: RoomParts) {
    this.#system = system;
    this.#parts = parts;
    this.store = parts.store;
    this.actor = parts.actor;
    this.threadId = parts.threadId;
    this.place = { threadId: parts.threadId, forkId: null };
  }

  async startEngine(): Promise<this> {
    const { journal } = this.#system.cortex;
    const access = readBusAccess(journal);
    if (!access) throw new Error("no bus");
    const bus = await openBus(addressAs(access, "channel-web"), "channel-web", patienceMs);
    const log = logOf("test");
    log.level = process.env["CORTEX_LOG_LEVEL"] ?? "fatal";
    const feed = new LiveFeed();
    feed.listen((_, piece) => void this.pieces.push(piece));
    const { store } = this;
    const settings = () => this.#parts.settings;
    const engine = new AnswerEngine({
      store,
      feed,
      bus,
      files: followedFiles(journal),
      attachmentsFolder: attachmentsFolder(journal),
      settings,
      models: () => ({ defaultBackend: "anthropic", defaultModels: {}, windows: {}, summary: undefined }),
      // A day that ends during a test would begin a budget anew.
      timeZone: zoneAtNoon(),
      log,
    });
    const watch = new ThreadWatch({ store, log });
    const decisions = new DecisionDelivery({ store, bus, log });
    this.#engine = {
      stop: async () => {
        await engine[Symbol.asyncDispose]();
        await decisions[Symbol.asyncDispose]();
        await watch[Symbol.asyncDispose]();
        await bus[Symbol.asyncDispose]();
      },
    };
    return this;
  }

  /** Stops answering, as a program that ends does: runs go on. */
  async stopEngine(): Promise<void> {
    await this.#engine?.stop();
    this.#engine = null;
  }

  async newAgent(slug: string, fields: Partial<AgentConfig> = {}) {
    const agent = {
      slug,
      name: slug,
      display_name: slug[0]?.toUpperCase() + slug.slice(1),
      system_prompt: `You are ${slug}.`,
    };
    return createAgent(this.store, NewAgent.parse({ ...agent, ...fields }), this.actor);
  }

  async say(text: string, place = this.place): Promise<{ message: Message; tasks: Task[] }> {
    return sendMessage(this.store, place, { text }, this.actor);
  }

  /** Says something that begins one task. */
  async ask(text: string, place = this.place): Promise<Task> {
    const [task] = (await this.say(text, place)).tasks;
    if (!task) throw new Error(`no agent is mentioned in ${text}`);
    return task;
  }

  /** Says something as the answer to a message, which begins one task. */
  async answerTo(parent: string, text: string): Promise<Task> {
    const { tasks } = await sendMessage(this.store, this.place, { text, parent }, this.actor);
    if (!tasks[0]) throw new Error(`nothing begins with ${text}`);
    return tasks[0];
  }

  task(id: string): Promise<Task> {
    return readTask(this.store, id, this.actor);
  }

  /** Waits until a task has a status, and returns it. */
  async until(id: string, ...statuses: TaskStatus[]): Promise<Task> {
    const has = async () => {
      const task = await this.task(id);
      return statuses.includes(task.status) && task;
    };
    return this.#system.cortex.until(has, `task ${id} is ${statuses.join(" or ")}`);
  }

  async messages(place = this.place): Promise<Message[]> {
    return (await listMessages(this.store, place, { limit: 200, cursor: null })).items;
  }

  events(): Promise<WorkspaceEvent[]> {
    return this.store.changes.eventsAfter(this.actor.workspaceId, 0, 10_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopEngine();
    await this.store[Symbol.asyncDispose]();
  }
}

/** Finds the question, without what was said before it. */
const triggerOf = ({ said }: AskedModel) => said.at(-1)?.split("The person asking is ").at(-1) ?? "";

function askedIn(body: Record<string, unknown>): AskedModel {
  const textOf = (content: unknown): string =>
    typeof content === "string"
      ? content
      : Array.isArray(content)
        ? content.map((block: { text?: string }) => block.text ?? "").join("")
        : "";
  const messages = body["messages"] as { role: string; content: unknown }[];
  return {
    system: textOf(body["system"]),
    said: messages.map(({ role, content }) => `${role}: ${textOf(content)}`),
    body,
  };
}
