/** An agent or a persona that is edited: the text that it is told, its settings, and its versions. */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import {
  type AgentText,
  changesOf,
  isAgentText,
  isSameText,
  noText,
  rebasedText,
} from "../../words/drafts/agent-text.ts";
import { type EditDeps, GuardedEdit } from "./guarded-edit.ts";

/** A version as lists show it. */
export type VersionRow = {
  version: string;
  /** As people count it. */
  number: number;
  /** When it was made; null: nobody knows. */
  at: string | null;
  /** It is what stands there. */
  isSaved: boolean;
};

type TextDeps<Server> = Pick<EditDeps<Server, AgentText>, "place" | "ask" | "write" | "versionOf" | "contentOf">;

export abstract class TextEdit<Server> extends GuardedEdit<Server, AgentText> {
  /** Newest first. */
  readonly versions = signal<readonly VersionRow[]>([]);
  readonly hasOlder = signal(false);
  readonly changes: ReadonlySignal<number>;

  constructor(deps: TextDeps<Server>) {
    super({ ...deps, empty: noText, isContent: isAgentText, isSame: isSameText, rebase: rebasedText });
    this.changes = computed(() => (this.isChanged.value ? changesOf(this.base.value, this.mine.value) : 0));
  }

  changePart(changed: Partial<AgentText>): void {
    this.change({ ...this.mine.value, ...changed });
  }

  /** A version as it was. @throws ApiError */
  abstract textOfVersion(version: string): Promise<AgentText>;

  /** Reads further back, where not all versions are listed. */
  async readOlder(): Promise<void> {}
}

/** As parts of views see it, whatever the server has. */
export type EditedText = Omit<TextEdit<never>, "server">;
