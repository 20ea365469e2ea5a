/** The bar below what is edited: what isn't saved, and what can be done with it. */
import type { ComponentChildren } from "preact";
import { Button } from "../buttons/button.tsx";
import "./editing.css";

type SaveBarProps = {
  /** Says what isn't saved; null: everything is. */
  changed: ComponentChildren | null;
  takeBackText?: string;
  onTakeBack: () => void;
  /** Why the server would refuse it. */
  refusal?: string | null;
  /** Null: it can't be saved here. */
  saveText: string | null;
  isOff: boolean;
  onSave: () => Promise<unknown>;
  /** Further buttons. */
  children?: ComponentChildren;
};

export function SaveBar(props: SaveBarProps) {
  const { changed, takeBackText = "Take it back", onTakeBack, refusal = null, saveText, isOff, onSave } = props;
  return (
    <footer class="savebar">
      {changed === null ? (
        <span class="ink-3">Nothing is changed.</span>
      ) : (
        <>
          {changed}
          <Button kind="quiet" onPress={onTakeBack}>
            {takeBackText}
          </Button>
        </>
      )}
      {refusal !== null && (
        <span class="t-failed small cut" role="status" title={refusal}>
          {refusal}
        </span>
      )}
      <span class="gap" />
      {props.children}
      {saveText !== null && (
        <span data-save>
          <Button kind="primary" busyText="Saving" isOff={changed === null || isOff} onPress={onSave}>
            {saveText}{" "}
            <kbd class="no-phone" aria-hidden="true">
              Ctrl S
            </kbd>
          </Button>
        </span>
      )}
    </footer>
  );
}
