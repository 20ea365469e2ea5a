/** The bar below an agent or a persona that is edited. */
import type { ComponentChildren } from "preact";
import type { EditedText } from "../../stores/editing/text-edit.ts";
import { countOf } from "../../words/amounts/money.ts";
import { SaveBar } from "./save-bar.tsx";

type TextBarProps = {
  edit: EditedText;
  /** Names the state that it is saved as, such as `version 3`; null: it can't be saved here. */
  next: string | null;
  /** Why the server would refuse it. */
  refusal: string | null;
  onSave: () => Promise<unknown>;
  children?: ComponentChildren;
};

export function TextBar({ edit, next, refusal, onSave, children }: TextBarProps) {
  const { changes, wrong, isOvertaken } = edit;
  const isChanged = changes.value > 0;
  return (
    <SaveBar
      changed={isChanged ? <b class="strong ink-2">{countOf(changes.value, "change")}</b> : null}
      takeBackText={`Take ${changes.value === 1 ? "it" : "them"} back`}
      onTakeBack={() => edit.show(null)}
      refusal={isChanged ? refusal : null}
      saveText={next === null ? null : `Save as ${next}`}
      isOff={wrong.value.length > 0 || refusal !== null || isOvertaken.value}
      onSave={onSave}
    >
      {children}
    </SaveBar>
  );
}
