/** Somebody else has changed it: what, and what becomes of one's own changes. Nothing is lost until one decides. */
import { Button } from "../../parts/buttons/button.tsx";
import { Diff } from "../../parts/content/diff.tsx";
import type { Persona, PersonaEdit } from "../../stores/editing/persona-edit.ts";
import { settingsText } from "../../words/drafts/persona-draft.ts";

export function Conflict({ edit, theirs }: { edit: PersonaEdit; theirs: Persona }) {
  const base = edit.base.value;
  const settings = [settingsText(base.settings), settingsText(theirs.settings ?? {})] as const;
  return (
    <section class="conflict" aria-label="Changed by somebody else" role="alert">
      <p class="strong">It was changed elsewhere since you read it. Your changes are kept here.</p>
      <p class="ink-2 small">What was changed there:</p>
      {settings[0] !== settings[1] && <Diff before={settings[0]} after={settings[1]} />}
      {base.instruction !== theirs.instruction && <Diff before={base.instruction} after={theirs.instruction} />}
      <p class="btns">
        <Button onPress={() => edit.keepMine()}>Go on with mine</Button>
        <Button kind="quiet" onPress={() => edit.show(null)}>
          Take theirs, and drop mine
        </Button>
      </p>
    </section>
  );
}
