/** The settings as they are edited: what the server has, what was changed here, and what somebody else has changed meanwhile. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { paths } from "../../../web/client/api-types.ts";
import { ApiError } from "../../api/api-error.ts";
import { answered, client } from "../../api/client.ts";
import type { Values } from "../../words/forms/schema-fields.ts";
import { readSettingsDraft, type SettingsDraft } from "../../words/drafts/settings-draft.ts";
import { draftOf } from "../browser/drafts.ts";

type SettingsDocument = paths["/api/v1/settings"]["get"]["responses"]["200"]["content"]["application/json"];

export class SettingsEdit {
  /** As the server has them; null: not read yet. */
  readonly document = signal<SettingsDocument | null>(null);
  readonly problem = signal<unknown>(null);
  /** Fields that hold what can't be read. */
  readonly wrong = signal<readonly string[]>([]);
  /** The refusals that the server would give. */
  readonly refusals = signal<readonly { path: string; message: string }[]>([]);
  /** Grows when the fields have to show something else than was typed. */
  readonly generation = signal(0);

  /** As they are to be; null: what stands there can't be read. */
  readonly mine: ReadonlySignal<Values | null>;
  /** As they were read before they were changed. */
  readonly base: ReadonlySignal<Values>;
  readonly isChanged: ReadonlySignal<boolean>;
  /** Somebody else has changed them since they were read here. */
  readonly isOvertaken: ReadonlySignal<boolean>;

  readonly #draft: Signal<string> = draftOf("settings");
  readonly #read: ReadonlySignal<SettingsDraft | null>;
  #checking: AbortController | null = null;

  constructor() {
    this.#read = computed(() => readSettingsDraft(this.#draft.value));
    this.base = computed(() => this.#read.value?.base ?? this.document.value?.settings ?? {});
    this.mine = computed(() => this.#read.value?.mine ?? this.document.value?.settings ?? null);
    this.isChanged = computed(() => this.#read.value !== null);
    this.isOvertaken = computed(() => {
      const { value } = this.document;
      return this.#read.value !== null && value !== null && this.#read.value.revision !== value.revision;
    });
  }

  async read(): Promise<void> {
    try {
      const before = this.document.value;
      this.document.value = await answered(client.GET("/api/v1/settings"));
      this.problem.value = null;
      const draft = this.#read.value;
      if (!draft && before !== null && before.revision !== this.document.value.revision) this.takeTheirs();
      // What was changed to the same is no change.
      if (draft && isSame(draft.mine, this.document.value.settings)) this.#draft.value = "";
      else if (draft) void this.check();
    } catch (error) {
      this.problem.value = error;
    }
  }

  change(mine: Values): void {
    const { value } = this.document;
    if (value === null) return;
    const { revision, base } = this.#read.value ?? { revision: value.revision, base: value.settings ?? {} };
    const isBack = isSame(base, mine) && revision === value.revision && value.settings !== null;
    this.#draft.value = isBack ? "" : JSON.stringify({ revision, base, mine });
  }

  /** Asks what the server would refuse. What it couldn't be asked about it says when it is saved. */
  async check(): Promise<void> {
    this.#checking?.abort();
    const { signal: stopped } = (this.#checking = new AbortController());
    if (this.mine.value === null || !this.isChanged.value) {
      this.refusals.value = [];
      return;
    }
    try {
      const body = { settings: { ...this.mine.value } };
      const { problems } = await answered(client.POST("/api/v1/settings/check", { body, signal: stopped }));
      if (!stopped.aborted) this.refusals.value = problems;
    } catch {
      if (!stopped.aborted) this.refusals.value = [];
    }
  }

  noteWrong(path: string, problem: string | null): void {
    const others = this.wrong.value.filter((one) => one !== path);
    if (problem === null && others.length === this.wrong.value.length) return;
    this.wrong.value = problem === null ? others : [...others, path];
  }

  /** Shows what the server has: what was changed here is gone. */
  takeTheirs(): void {
    this.#draft.value = "";
    this.refusals.value = [];
    this.wrong.value = [];
    this.generation.value++;
  }

  /** Keeps what was changed here: it goes over what somebody else has changed, when it is saved next. */
  keepMine(): void {
    const { value } = this.document;
    const mine = this.mine.value;
    if (value === null || mine === null) return;
    this.#draft.value = JSON.stringify({ revision: value.revision, base: value.settings ?? {}, mine });
  }

  /** @throws what the server refuses; who was overtaken is shown by what */
  async save(): Promise<void> {
    const draft = this.#read.value;
    if (draft === null) return;
    const body = { revision: draft.revision, settings: { ...draft.mine } };
    try {
      this.document.value = await answered(client.PATCH("/api/v1/settings", { body }));
      this.#draft.value = "";
      this.refusals.value = [];
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      await this.read();
    }
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
