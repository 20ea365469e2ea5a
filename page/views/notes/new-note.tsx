/** A new skill or file of the memory: its name, and it opens to be written. */
import { useSignal } from "@preact/signals";
import { Button } from "../../parts/buttons/button.tsx";
import { Dialog } from "../../parts/layout/dialog.tsx";

type NewNoteProps = {
  title: string;
  label: string;
  example: string;
  good: RegExp;
  rule: string;
  onClose: () => void;
  onMade: (name: string) => Promise<void>;
};

export function NewNote({ title, label, example, good, rule, onClose, onMade }: NewNoteProps) {
  const name = useSignal("");
  const isGood = good.test(name.value);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <Button kind="primary" busyText="Making it" isOff={!isGood} onPress={() => onMade(name.value)}>
          Make it
        </Button>
      }
    >
      <label class="made-field">
        <span class="ink-2">{label}</span>
        <span class={name.value === "" || isGood ? "field" : "field wrong"}>
          <input
            value={name}
            placeholder={example}
            autocomplete="off"
            spellcheck={false}
            aria-invalid={name.value !== "" && !isGood}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </span>
      </label>
      {name.value !== "" && !isGood && (
        <p class="t-failed small" role="alert">
          {rule}
        </p>
      )}
    </Dialog>
  );
}
