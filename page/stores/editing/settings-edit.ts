/** The settings as they are edited, with what the server would refuse. */
import { signal } from "@preact/signals";
import type { paths } from "../../../web/client/api-types.ts";
import { answered, client } from "../../api/client.ts";
import { rebasedValues } from "../../words/drafts/rebased-values.ts";
import type { Values } from "../../words/forms/schema-fields.ts";
import { isRecord } from "../../words/json/read-json.ts";
import { GuardedEdit } from "./guarded-edit.ts";

type SettingsDocument = paths["/api/v1/settings"]["get"]["responses"]["200"]["content"]["application/json"];

export class SettingsEdit extends GuardedEdit<SettingsDocument, Values> {
  /** The refusals that the server would give. */
  readonly refusals = signal<readonly { path: string; message: string }[]>([]);
  #checking: AbortController | null = null;

  constructor() {
    super({
      place: "settings",
      ask: () => answered(client.GET("/api/v1/settings")),
      write: ({ version, mine }) =>
        answered(client.PATCH("/api/v1/settings", { body: { revision: version ?? "none", settings: { ...mine } } })),
      versionOf: ({ revision }) => revision,
      contentOf: ({ settings }) => settings,
      empty: {},
      isContent: isRecord,
      isSame: (one, other) => JSON.stringify(one) === JSON.stringify(other),
      rebase: rebasedValues,
    });
  }

  /** Asks what the server would refuse. What it couldn't be asked about it says when it is saved. */
  async check(): Promise<void> {
    this.#checking?.abort();
    const { signal: stopped } = (this.#checking = new AbortController());
    if (!this.isChanged.value) {
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
}
