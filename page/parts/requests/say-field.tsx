/** A line of text that is sent: an answer, or something said to a run. A draft stays whatever happens. */
import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { draftOf } from "../../stores/browser/drafts.ts";
import { messageOf } from "../../words/notices/problem.ts";
import { Button } from "../buttons/button.tsx";
import "../forms/field.css";

type SayFieldProps = {
  /** The key of what the draft belongs to. */
  of: string;
  label: string;
  onSend: (text: string) => Promise<unknown>;
  hasFocus?: boolean;
  send?: string;
};

export function SayField({ of, label, onSend, hasFocus, send = "Send" }: SayFieldProps) {
  const draft = draftOf(of);
  const wrong = useSignal<string | null>(null);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const isSending = useRef(false);
  // Before anything else is typed.
  useLayoutEffect(() => {
    if (hasFocus) input.current?.focus();
  }, [hasFocus]);
  const submit = async () => {
    const text = draft.value.trim();
    if (text === "" || isSending.current) return;
    isSending.current = true;
    wrong.value = null;
    try {
      await onSend(text);
      // What was typed since isn't lost.
      if (draft.value.trim() === text) draft.value = "";
    } catch (error) {
      wrong.value = messageOf(error);
    } finally {
      isSending.current = false;
    }
  };
  return (
    <form
      class="btns say-field"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label class={wrong.value === null ? "field" : "field wrong"} for={id}>
        <span class="off">{label}</span>
        <input
          id={id}
          placeholder={label}
          value={draft}
          autocomplete="off"
          aria-invalid={wrong.value !== null}
          ref={input}
          onInput={(event) => {
            draft.value = event.currentTarget.value;
          }}
        />
      </label>
      <Button class="big" busyText="Sending" onPress={submit} isOff={draft.value.trim() === ""}>
        {send}
      </Button>
      {wrong.value !== null && (
        <p class="t-failed small" role="alert">
          {wrong.value}
        </p>
      )}
    </form>
  );
}
