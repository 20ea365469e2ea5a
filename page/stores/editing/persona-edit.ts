/** A persona as it is edited: what the server has, what was changed here, and what somebody else has changed meanwhile. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { ApiError } from "../../api/api-error.ts";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import {
  changesOf,
  isSame,
  type PersonaDraft,
  type PersonaText,
  readPersonaDraft,
} from "../../words/drafts/persona-draft.ts";
import { draftOf } from "../browser/drafts.ts";

export type Persona = ApiRecord<"Persona">;
export type PersonaVersion = { version: string; at: string | null };

export class PersonaEdit {
  readonly name: string;
  /** As the server has it. */
  readonly persona = signal<Persona | null>(null);
  readonly versions = signal<readonly PersonaVersion[]>([]);
  readonly problem = signal<unknown>(null);
  /** A field holds what can't be read: its names. */
  readonly wrong = signal<readonly string[]>([]);
  /** Grows when the fields have to show something else than was typed. */
  readonly generation = signal(0);

  /** As it is to be. */
  readonly mine: ReadonlySignal<PersonaText>;
  /** As it was read before it was changed. */
  readonly base: ReadonlySignal<PersonaText>;
  readonly changes: ReadonlySignal<number>;
  /** Somebody else has changed it since it was read here. */
  readonly isOverTaken: ReadonlySignal<boolean>;

  readonly #draft: Signal<string>;
  readonly #read: ReadonlySignal<PersonaDraft | null>;

  constructor(name: string) {
    this.name = name;
    this.#draft = draftOf(placeOf(name));
    this.#read = computed(() => readPersonaDraft(this.#draft.value));
    this.base = computed(() => this.#read.value?.base ?? textOf(this.persona.value));
    this.mine = computed(() => this.#read.value?.mine ?? textOf(this.persona.value));
    this.changes = computed(() => changesOf(this.base.value, this.mine.value));
    this.isOverTaken = computed(() => {
      const { value } = this.persona;
      return this.#read.value !== null && value !== null && this.#read.value.version !== value.version;
    });
  }

  async read(): Promise<void> {
    const path = { params: { path: { id: this.name } } };
    try {
      const [persona, versions] = await Promise.all([
        answered(client.GET("/api/v1/personas/{id}", path)),
        answered(client.GET("/api/v1/personas/{id}/versions", path)),
      ]);
      const before = this.persona.value;
      this.persona.value = persona;
      this.versions.value = versions.items;
      this.problem.value = null;
      // What was changed to the same is no change.
      if (this.#read.value !== null && isSame(this.#read.value.mine, textOf(persona))) this.#draft.value = "";
      else if (this.#read.value === null && before !== null && before.version !== persona.version) this.show(null);
    } catch (error) {
      this.problem.value = error;
    }
  }

  change(changed: Partial<PersonaText>): void {
    const { value } = this.persona;
    if (value === null) return;
    const { version, base } = this.#read.value ?? { version: value.version, base: textOf(value) };
    const mine = { ...this.mine.value, ...changed };
    this.#draft.value = isSame(base, mine) && version === value.version ? "" : JSON.stringify({ version, base, mine });
  }

  noteWrong(path: string, problem: string | null): void {
    const others = this.wrong.value.filter((one) => one !== path);
    this.wrong.value = problem === null ? others : [...others, path];
  }

  /** Shows something else in the fields: an older version, or what the server has. */
  show(text: PersonaText | null): void {
    if (text === null) this.#draft.value = "";
    else this.change(text);
    this.wrong.value = [];
    this.generation.value++;
  }

  /** Keeps what was changed here: it goes over what somebody else has changed, when it is saved next. */
  keepMine(): void {
    const { value } = this.persona;
    if (value === null) return;
    const { mine } = this;
    this.#draft.value = JSON.stringify({ version: value.version, base: textOf(value), mine: mine.value });
  }

  /** @throws what the server refuses; who was overtaken is shown by what */
  async save(): Promise<void> {
    const { value } = this.persona;
    if (value === null || this.changes.value === 0) return;
    const { version, mine, base } = this.#read.value ?? {
      version: value.version,
      mine: textOf(value),
      base: textOf(value),
    };
    const body = {
      version,
      // What wasn't changed isn't written.
      ...(mine.instruction !== base.instruction && { instruction: mine.instruction }),
      ...(JSON.stringify(mine.settings) !== JSON.stringify(base.settings) && { settings: mine.settings }),
    };
    try {
      this.persona.value = await answered(
        client.PATCH("/api/v1/personas/{id}", { params: { path: { id: this.name } }, body }),
      );
      this.#draft.value = "";
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
    }
    await this.read();
  }

  /** A version as it was. @throws ApiError */
  async textOfVersion(version: string): Promise<PersonaText> {
    const params = { path: { id: this.name }, query: { from: version } };
    const { from } = await answered(client.GET("/api/v1/personas/{id}/diff", { params }));
    return { instruction: from.instruction, settings: parsed(from.settings_text) };
  }
}

const placeOf = (name: string) => `persona ${name}`;

/** Whether something of a persona isn't saved. */
export const hasUnsaved = (name: string): boolean => draftOf(placeOf(name)).value !== "";

const textOf = (persona: Persona | null): PersonaText => ({
  instruction: persona?.instruction ?? "",
  settings: persona?.settings ?? {},
});

function parsed(text: string): PersonaText["settings"] {
  try {
    return JSON.parse(text || "{}") as PersonaText["settings"];
  } catch {
    return {};
  }
}
