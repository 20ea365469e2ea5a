/** The unsaved changes, and what can be done with them. */
import { Button } from "../../parts/buttons/button.tsx";
import type { Persona, PersonaEdit } from "../../stores/editing/persona-edit.ts";
import { countOf } from "../../words/amounts/money.ts";

type BarProps = {
  edit: PersonaEdit;
  persona: Persona;
  /** Why the server would refuse it. */
  refusal: string | null;
  onSave: () => Promise<void>;
  onTry: () => void;
};

export function SaveBar({ edit, persona, refusal, onSave, onTry }: BarProps) {
  const { changes, wrong, isOverTaken, versions } = edit;
  const isChanged = changes.value > 0;
  const isBroken = wrong.value.length > 0 || refusal !== null;
  const next = persona.source === "built-in" ? "your own" : `version ${versions.value.length + 1}`;
  return (
    <footer class="savebar">
      {isChanged ? (
        <>
          <b class="strong ink-2">{countOf(changes.value, "change")}</b>
          <Button kind="quiet" onPress={() => edit.show(null)}>
            Take {changes.value === 1 ? "it" : "them"} back
          </Button>
        </>
      ) : (
        <span class="ink-3">Nothing is changed.</span>
      )}
      {isChanged && refusal !== null && (
        <span class="t-failed small cut" role="status" title={refusal}>
          {refusal}
        </span>
      )}
      <span class="gap" />
      <Button onPress={onTry} keyName="T" isOff={persona.problem !== null && !isChanged}>
        Try it <kbd aria-hidden="true">T</kbd>
      </Button>
      {persona.can_be_changed && (
        <span data-save>
          <Button kind="primary" busyText="Saving" isOff={!isChanged || isBroken || isOverTaken.value} onPress={onSave}>
            Save as {next} <kbd aria-hidden="true">Ctrl S</kbd>
          </Button>
        </span>
      )}
    </footer>
  );
}
