/**
 * Something that is edited: what the server has, what was changed here, and what somebody else has changed meanwhile. What is
 * changed while a save is on its way stays, and is unsaved: it stands on top of what was saved.
 */
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { ApiError } from "../../api/api-error.ts";
import { type Draft, readDraft } from "../../words/drafts/draft.ts";
import { draftOf } from "../browser/drafts.ts";

export type EditDeps<Server, Content> = {
  /** The key of its draft. */
  place: string;
  ask: () => Promise<Server>;
  /** Saves a draft. @throws ApiError with 409 when another version than the draft's is there */
  write: (draft: Draft<Content>) => Promise<Server>;
  versionOf: (server: Server) => string | null;
  /** Null: what stands there can't be read. */
  contentOf: (server: Server) => Content | null;
  /** The content of what isn't there, or can't be read. */
  empty: Content;
  isContent: (value: unknown) => value is Content;
  isSame: (one: Content, other: Content) => boolean;
  /** Puts what was changed while `sent` was being saved on top of what was saved. */
  rebase: (mine: Content, sent: Content, saved: Content) => Content;
};

/** The places that are being saved: whoever comes to one meanwhile knows it, too. */
const savings = new Map<string, Signal<boolean>>();

function savingAt(place: string): Signal<boolean> {
  const known = savings.get(place) ?? signal(false);
  savings.set(place, known);
  return known;
}

export class GuardedEdit<Server, Content> {
  /** As the server has it; null: not read yet. */
  readonly server = signal<Server | null>(null);
  readonly problem = signal<unknown>(null);
  /** The fields that hold what can't be read. */
  readonly wrong = signal<readonly string[]>([]);
  /** Grows when the fields have to show something else than was typed. */
  readonly generation = signal(0);

  /** As it is to be. */
  readonly mine: ReadonlySignal<Content>;
  /** As it was read before it was changed. */
  readonly base: ReadonlySignal<Content>;
  /** False: what stands there can't be read, and nothing was put in its place. */
  readonly isReadable: ReadonlySignal<boolean>;
  readonly isChanged: ReadonlySignal<boolean>;
  /** Somebody else has changed it since it was read here. */
  readonly isOvertaken: ReadonlySignal<boolean>;

  readonly #deps: EditDeps<Server, Content>;
  readonly #kept: Signal<string>;
  readonly #draft: ReadonlySignal<Draft<Content> | null>;
  readonly #isSaving: Signal<boolean>;
  #reads = 0;

  constructor(deps: EditDeps<Server, Content>) {
    const { place, empty, isContent, versionOf } = (this.#deps = deps);
    this.#kept = draftOf(place);
    this.#isSaving = savingAt(place);
    this.#draft = computed(() => readDraft(this.#kept.value, isContent));
    this.base = computed(() => this.#draft.value?.base ?? this.#saved.content ?? empty);
    this.mine = computed(() => this.#draft.value?.mine ?? this.#saved.content ?? empty);
    this.isReadable = computed(() => this.#draft.value !== null || this.#saved.content !== null);
    this.isChanged = computed(() => this.#draft.value !== null);
    this.isOvertaken = computed(() => {
      const { value: server } = this.server;
      const { value: draft } = this.#draft;
      return draft !== null && server !== null && !this.#isSaving.value && draft.version !== versionOf(server);
    });
  }

  async read(): Promise<void> {
    // Of two that are asked at once the later one knows more.
    const read = ++this.#reads;
    try {
      const server = await this.#deps.ask();
      if (read === this.#reads) batch(() => this.#take(server));
    } catch (error) {
      if (read === this.#reads) this.problem.value = error;
    }
  }

  change(mine: Content): void {
    if (this.server.value === null) return;
    const { version, base } = this.#draft.value ?? this.#fresh();
    const { content, version: there } = this.#saved;
    // Changed back while it is being saved, it isn't as it will be saved.
    const isBack = content !== null && !this.#isSaving.value && version === there && this.#deps.isSame(base, mine);
    this.#keep(isBack ? null : { version, base, mine });
  }

  /** As the server has it by now. */
  get saved(): Content {
    return this.#saved.content ?? this.#deps.empty;
  }

  noteWrong(path: string, problem: string | null): void {
    const others = this.wrong.value.filter((one) => one !== path);
    if (problem === null && others.length === this.wrong.value.length) return;
    this.wrong.value = problem === null ? others : [...others, path];
  }

  /** Shows something else in the fields, such as an older version; null: what the server has. */
  show(content: Content | null): void {
    batch(() => {
      if (content !== null) this.change(content);
      else if (this.#isSaving.value) this.change(this.base.value);
      else this.#keep(null);
      this.wrong.value = [];
      this.generation.value++;
    });
  }

  /** Keeps what was changed here: it goes over what somebody else has changed, when it is saved next. */
  keepMine(): void {
    if (this.server.value !== null) this.#keep({ ...this.#fresh(), mine: this.mine.value });
  }

  /** @throws what the server refuses; who was overtaken is shown by what */
  async save(): Promise<void> {
    const sent = this.#draft.value;
    if (sent === null || this.#isSaving.value) return;
    this.#isSaving.value = true;
    let refused: ApiError | null = null;
    try {
      const server = await this.#deps.write(sent);
      batch(() => this.#takeSaved(server, sent));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      refused = error;
    } finally {
      this.#isSaving.value = false;
      this.#dropSame();
    }
    await this.read();
    // It was refused for something else than its version, such as a name that is taken.
    if (refused !== null && this.isChanged.value && !this.isOvertaken.value && this.problem.value === null)
      throw refused;
  }

  #take(server: Server): void {
    const { value: before } = this.server;
    this.server.value = server;
    this.problem.value = null;
    // It may be what is being saved here: its answer says so.
    if (this.#isSaving.value) return;
    const wasChanged = this.isChanged.value;
    this.#dropSame();
    const { versionOf } = this.#deps;
    // What can't be read in a field is no draft, and would be gone. A whole text isn't kept: it would go over what is there by now.
    const isTyped = this.wrong.value.some((path) => path !== "raw");
    if (!wasChanged && !isTyped && before !== null && versionOf(before) !== versionOf(server)) this.show(null);
  }

  #takeSaved(server: Server, sent: Draft<Content>): void {
    const { versionOf, contentOf, isSame, rebase, empty } = this.#deps;
    const mine = this.mine.value;
    this.server.value = server;
    const version = versionOf(server);
    const base = contentOf(server) ?? empty;
    this.#keep(isSame(mine, sent.mine) ? null : { version, base, mine: rebase(mine, sent.mine, base) });
  }

  /** A draft that was changed to what is there is none. */
  #dropSame(): void {
    const { content } = this.#saved;
    const { value: draft } = this.#draft;
    if (draft !== null && content !== null && this.#deps.isSame(draft.mine, content)) this.#keep(null);
  }

  get #saved(): { version: string | null; content: Content | null } {
    const { value } = this.server;
    const { versionOf, contentOf } = this.#deps;
    return value === null ? { version: null, content: null } : { version: versionOf(value), content: contentOf(value) };
  }

  #fresh(): { version: string | null; base: Content } {
    const { version, content } = this.#saved;
    return { version, base: content ?? this.#deps.empty };
  }

  #keep(draft: Draft<Content> | null): void {
    this.#kept.value = draft === null ? "" : JSON.stringify(draft);
  }
}
