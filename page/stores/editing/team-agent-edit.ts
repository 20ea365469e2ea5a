/** An agent of a team as it is edited, with its versions, read from the newest on. */
import { signal } from "@preact/signals";
import { answered, type ApiRecord, byId, client } from "../../api/client.ts";
import type { AgentText } from "../../words/drafts/agent-text.ts";
import type { Draft } from "../../words/drafts/draft.ts";
import { changedNames } from "../../words/drafts/settings-draft.ts";
import { saidValues, textField, usualValue } from "../../words/forms/agent-fields.ts";
import { at, type JsonSchema } from "../../words/forms/schema-fields.ts";
import { draftOf } from "../browser/drafts.ts";
import { TextEdit } from "./text-edit.ts";

export type TeamAgent = ApiRecord<"Agent">;
type Version = ApiRecord<"AgentVersion">;

/** Versions that are read at once: each has its whole text. */
const pageSize = 20;

export class TeamAgentEdit extends TextEdit<TeamAgent> {
  readonly id: string;
  /** Null: not read yet. */
  readonly schema = signal<JsonSchema | null>(null);
  #known: readonly Version[] = [];
  #cursor: string | null = null;
  #asked = 0;

  constructor(id: string) {
    super({
      place: placeOf(id),
      ask: () => this.#ask(),
      write: (draft) => this.#write(draft),
      // A slug that was changed makes no version.
      versionOf: ({ version, slug }) => `${version} ${slug}`,
      contentOf: (agent) => textOf(agent, agent.slug),
    });
    this.id = id;
  }

  /** The number that the next version gets. */
  get next(): number {
    return Math.max(this.server.value?.version ?? 0, this.#known[0]?.version ?? 0) + 1;
  }

  override async textOfVersion(version: string): Promise<AgentText> {
    const known = this.#known.find((one) => String(one.version) === version);
    if (!known) throw new Error(`version ${version} isn't listed any more`);
    return textOf(known.config, this.server.value?.slug ?? "");
  }

  override async readOlder(): Promise<void> {
    if (this.#cursor === null) return;
    const { items, next } = await this.#page(this.#cursor);
    this.#list([...this.#known, ...items], next);
  }

  /** Makes a version the one that answers. @throws ApiError */
  async publish(version: number): Promise<void> {
    await answered(client.POST("/api/v1/agents/{id}/publish", { ...byId(this.id), body: { version } }));
    await this.read();
  }

  /** @throws ApiError */
  async setActive(isActive: boolean): Promise<void> {
    const body = { is_active: isActive };
    await answered(client.POST("/api/v1/agents/{id}/toggle-active", { ...byId(this.id), body }));
    await this.read();
  }

  /** Removes the agent, and what isn't saved of it. @throws ApiError */
  async remove(): Promise<void> {
    await answered(client.DELETE("/api/v1/agents/{id}", byId(this.id)));
    this.show(null);
  }

  async #ask(): Promise<TeamAgent> {
    const asked = ++this.#asked;
    const [agent, { items, next }] = await Promise.all([
      answered(client.GET("/api/v1/agents/{id}", byId(this.id))),
      this.#page(null),
    ]);
    if (this.schema.value === null) {
      const params = { path: { w: agent.workspace_id } };
      this.schema.value = (await answered(client.GET("/api/v1/workspaces/{w}/agents/schema", { params }))).schema;
    }
    if (asked !== this.#asked) return agent;
    const oldest = items.at(-1)?.version ?? 0;
    const older = this.#known.filter(({ version }) => version < oldest);
    // Versions never change: those that were read stay, unless there is a gap before them.
    const isWhole = older[0]?.version === oldest - 1;
    this.#list(isWhole ? [...items, ...older] : items, isWhole ? this.#cursor : next, agent.version);
    return agent;
  }

  #list(versions: readonly Version[], cursor: string | null, published = this.server.value?.version): void {
    this.#known = versions;
    this.#cursor = cursor;
    this.hasOlder.value = cursor !== null;
    this.versions.value = versions.map(({ version, created_at }) => ({
      version: String(version),
      number: version,
      at: created_at,
      isSaved: version === published,
    }));
  }

  #page(cursor: string | null) {
    const query = { limit: pageSize, ...(cursor !== null && { cursor }) };
    return answered(client.GET("/api/v1/agents/{id}/versions", { params: { path: { id: this.id }, query } }));
  }

  /** Sends what was changed alone: somebody else may have changed the slug. */
  #write({ version, base, mine }: Draft<AgentText>): Promise<TeamAgent> {
    const names = changedNames(base.settings, mine.settings);
    const settings = names.map((name) => [name, at(mine.settings, name) ?? usualValue(this.schema.value ?? {}, name)]);
    const body = {
      ...(Object.fromEntries(settings) as object),
      version: Number.parseInt(version ?? "", 10),
      ...(mine.instruction !== base.instruction && { system_prompt: mine.instruction }),
    };
    return answered(client.PATCH("/api/v1/agents/{id}", { ...byId(this.id), body }));
  }
}

const placeOf = (id: string) => `agent ${id}`;

/** Whether something of an agent isn't saved. */
export const hasUnsavedAgent = (id: string): boolean => draftOf(placeOf(id)).value !== "";

/** The text of an agent, or of a version of it, with the settings that say something. */
function textOf(config: Version["config"], slug: string): AgentText {
  const { name, display_name, description, avatar, capabilities, model, backend } = config;
  const { max_tokens, persona, tools, sandbox, limits, trust } = config;
  const identity = { slug, name, display_name, description, avatar, capabilities };
  const rest = { model, backend, max_tokens, persona, tools, sandbox, limits, trust };
  return { instruction: config[textField], settings: saidValues({ ...identity, ...rest }) };
}
