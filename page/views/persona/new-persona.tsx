/** A new persona: its name, and what it is told first. The rest is set on its page. */
import { answered, client } from "../../api/client.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Dialog } from "../../parts/layout/dialog.tsx";
import { draftOf } from "../../stores/browser/drafts.ts";

const good = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export function NewPersona({ onClose, onMade }: { onClose: () => void; onMade: (name: string) => void }) {
  const name = draftOf("new persona name");
  const text = draftOf("new persona text");
  const isGood = good.test(name.value);
  const make = async () => {
    const made = await answered(
      client.POST("/api/v1/personas", { body: { name: name.value, instruction: text.value, settings: {} } }),
    );
    name.value = "";
    text.value = "";
    onMade(made.name);
  };
  return (
    <Dialog
      title="New persona"
      onClose={onClose}
      actions={
        <Button kind="primary" busyText="Making it" onPress={make} isOff={!isGood || text.value.trim() === ""}>
          Make it
        </Button>
      }
    >
      <label class="made-field">
        <span class="ink-2">Name</span>
        <span class={name.value === "" || isGood ? "field" : "field wrong"}>
          <input
            value={name}
            placeholder="gauge-check"
            autocomplete="off"
            spellcheck={false}
            aria-invalid={name.value !== "" && !isGood}
            onInput={(event) => (name.value = event.currentTarget.value.trim())}
          />
        </span>
      </label>
      {name.value !== "" && !isGood && (
        <p class="t-failed small" role="alert">
          Small letters, digits, - and _, with a letter or a digit first.
        </p>
      )}
      <label class="made-field">
        <span class="ink-2">What it is told</span>
        <textarea class="field" rows={6} value={text} onInput={(event) => (text.value = event.currentTarget.value)} />
      </label>
    </Dialog>
  );
}
