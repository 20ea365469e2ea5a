/** A persona as it is edited. */
import { answered, type ApiRecord, client } from "../../api/client.ts";
import type { AgentText } from "../../words/drafts/agent-text.ts";
import type { Draft } from "../../words/drafts/draft.ts";
import { changedNames } from "../../words/drafts/settings-draft.ts";
import { draftOf } from "../browser/drafts.ts";
import { TextEdit } from "./text-edit.ts";

export type Persona = ApiRecord<"Persona">;

export class PersonaEdit extends TextEdit<Persona> {
  readonly name: string;
  #asked = 0;

  constructor(name: string) {
    super({
      place: placeOf(name),
      ask: () => this.#ask(),
      write: (draft) => write(name, draft),
      versionOf: ({ version }) => version,
      contentOf: ({ instruction, settings }) => ({ instruction, settings: settings ?? {} }),
    });
    this.name = name;
  }

  override async textOfVersion(version: string): Promise<AgentText> {
    const params = { path: { id: this.name }, query: { from: version } };
    const { from } = await answered(client.GET("/api/v1/personas/{id}/diff", { params }));
    return { instruction: from.instruction, settings: parsed(from.settings_text) };
  }

  async #ask(): Promise<Persona> {
    const path = { params: { path: { id: this.name } } };
    const asked = ++this.#asked;
    const [persona, { items }] = await Promise.all([
      answered(client.GET("/api/v1/personas/{id}", path)),
      answered(client.GET("/api/v1/personas/{id}/versions", path)),
    ]);
    if (asked !== this.#asked) return persona;
    this.versions.value = items.map(({ version, at }, index) => ({
      version,
      number: items.length - index,
      at,
      isSaved: index === 0,
    }));
    return persona;
  }
}

const placeOf = (name: string) => `persona ${name}`;

/** Whether something of a persona isn't saved. */
export const hasUnsaved = (name: string): boolean => draftOf(placeOf(name)).value !== "";

/** Leaves out what wasn't changed. */
function write(name: string, { version, base, mine }: Draft<AgentText>): Promise<Persona> {
  const body = {
    version: version ?? "",
    ...(mine.instruction !== base.instruction && { instruction: mine.instruction }),
    ...(changedNames(base.settings, mine.settings).length > 0 && { settings: mine.settings }),
  };
  return answered(client.PATCH("/api/v1/personas/{id}", { params: { path: { id: name } }, body }));
}

function parsed(text: string): AgentText["settings"] {
  try {
    return JSON.parse(text || "{}") as AgentText["settings"];
  } catch {
    return {};
  }
}
