/** Somebody else has changed the settings: what, and what becomes of one's own changes. Nothing is lost until one decides. */
import { Button } from "../../parts/buttons/button.tsx";
import { Diff } from "../../parts/content/diff.tsx";
import type { SettingsEdit } from "../../stores/editing/settings-edit.ts";
import type { Values } from "../../words/forms/schema-fields.ts";
import { settingsText } from "../../words/drafts/settings-draft.ts";

export function ChangedElsewhere({ edit, theirs }: { edit: SettingsEdit; theirs: Values }) {
  return (
    <section class="elsewhere" aria-label="Changed elsewhere" role="alert">
      <p class="strong">The settings were changed elsewhere since you read them. Your changes are kept here.</p>
      <p class="ink-2 small">What was changed there:</p>
      <Diff before={settingsText(edit.base.value)} after={settingsText(theirs)} />
      <p class="btns">
        <Button onPress={() => edit.keepMine()}>Go on with mine</Button>
        <Button kind="quiet" onPress={() => edit.takeTheirs()}>
          Take theirs, and drop mine
        </Button>
      </p>
    </section>
  );
}
