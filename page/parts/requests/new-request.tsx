/** A new request: what is asked, and of whom. Its draft stays until it is sent. */
import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useKeys } from "../../keys/keys.ts";
import { requestRun } from "../../stores/runs/run-actions.ts";
import { draftOf } from "../../stores/browser/drafts.ts";
import { personaNames, readPersonas } from "../../stores/names/persona-names.ts";
import { messageOf } from "../../words/notices/problem.ts";
import { personName } from "../../words/names/names.ts";
import { Button } from "../buttons/button.tsx";
import { useModal } from "../layout/use-modal.ts";
import "../layout/dialog.css";
import "./new-request.css";

/** Whether the dialog is open. */
export const isAsking = signal(false);

/** Opens the dialog for a persona; empty: the default one. */
export function askFor(persona: string): void {
  draftOf("new request persona").value = persona;
  isAsking.value = true;
}

/** The runs that were asked for here: they are shown at once. */
export const asked = signal<readonly string[]>([]);

/** Where the dialog stands: once, in the frame. */
export function NewRequest() {
  useKeys({ n: () => (isAsking.value = true) });
  return isAsking.value ? <NewRequestDialog /> : null;
}

function NewRequestDialog() {
  const draft = draftOf("new request");
  const persona = draftOf("new request persona");
  const wrong = useSignal<string | null>(null);
  const isSending = useRef(false);
  // The chosen one is shown also before the others are known.
  const isListed = persona.value === "" || personaNames.value.includes(persona.value);
  const names = isListed ? personaNames.value : [persona.value, ...personaNames.value];
  useEffect(() => {
    void readPersonas();
  }, []);
  const close = () => {
    isAsking.value = false;
  };
  const modal = useModal(close);
  const send = async () => {
    const prompt = draft.value.trim();
    if (prompt === "" || isSending.current) return;
    isSending.current = true;
    wrong.value = null;
    try {
      const { id } = await requestRun({ prompt, ...(persona.value !== "" && { persona: persona.value }) });
      asked.value = [...asked.value, id];
      // It stays open for what was typed since.
      if (draft.value.trim() !== prompt) return;
      draft.value = "";
      close();
    } catch (error) {
      wrong.value = messageOf(error);
    } finally {
      isSending.current = false;
    }
  };
  return (
    <dialog {...modal} class="dialog new-request" aria-labelledby="new-request">
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <h2 id="new-request">New request</h2>
        <textarea
          class="field"
          aria-label="What do you want to know, or to have done?"
          rows={4}
          value={draft}
          onInput={(event) => {
            draft.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
        {wrong.value !== null && (
          <p class="t-failed small" role="alert">
            {wrong.value}
          </p>
        )}
        <p class="btns">
          <label class="pick">
            <span class="ink-3">Persona</span>
            <select
              value={persona}
              onChange={(event) => {
                persona.value = event.currentTarget.value;
              }}
            >
              <option value="">Default</option>
              {names.map((name) => (
                <option key={name} value={name}>
                  {personName(name)}
                </option>
              ))}
            </select>
          </label>
          <span class="gap" />
          <Button kind="quiet" onPress={close}>
            Not now
          </Button>
          <Button kind="primary" busyText="Sending" onPress={send} isOff={draft.value.trim() === ""}>
            Send <kbd aria-hidden="true">⏎</kbd>
          </Button>
        </p>
      </form>
    </dialog>
  );
}
