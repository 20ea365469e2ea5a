/** Where one writes: Enter sends, Alt Enter says it now. A draft and its files stay until they are sent. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useKeys } from "../../keys/keys.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import { AttachButton } from "../../parts/compose/attach-button.tsx";
import { focusAfterKey } from "../../parts/compose/focus-after-key.ts";
import { fileHandlers } from "../../parts/compose/file-handlers.ts";
import { useTextHeight } from "../../parts/compose/use-text-height.ts";
import { draftOf } from "../../stores/browser/drafts.ts";
import { upload, uploadsOf } from "../../stores/agents/uploads.ts";
import { sizeOf } from "../../words/amounts/money.ts";
import { messageOf } from "../../words/notices/problem.ts";
import { visible } from "../../words/text/visible-text.ts";
import "../../parts/compose/compose.css";
import "./compose.css";

type ComposeProps = {
  /** The key of what the draft belongs to. */
  of: string;
  name: string;
  isWorking: boolean;
  onSend: (text: string, files: { id: string }[], isNow: boolean) => Promise<void>;
  onStop?: () => Promise<void>;
};

export function Compose({ of, name, isWorking, onSend, onStop }: ComposeProps) {
  const draft = draftOf(of);
  const uploads = uploadsOf(of);
  const wrong = useSignal<string | null>(null);
  const isSending = useSignal(false);
  const isOver = useSignal(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const isReady = draft.value.trim() !== "" && uploads.value.every(({ state }) => state !== "storing");
  useTextHeight(field, draft.value);
  useKeys({ s: () => field.current?.focus() });
  const send = async (isNow: boolean) => {
    if (!isReady || isSending.value) return;
    const [text, files] = [draft.value.trim(), uploads.value.filter(({ state }) => state === "stored")];
    isSending.value = true;
    wrong.value = null;
    focusAfterKey(field.current);
    try {
      await onSend(
        text,
        files.map(({ id }) => ({ id })),
        isNow,
      );
      // What was typed since isn't lost.
      if (draft.value.trim() === text) draft.value = "";
      uploads.value = uploads.value.filter((one) => !files.includes(one));
    } catch (error) {
      wrong.value = messageOf(error);
    } finally {
      isSending.value = false;
    }
  };
  const attach = (files: Iterable<File>) => {
    for (const file of files) void upload(of, file);
  };
  const { onDrop, onPaste } = fileHandlers(attach);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    event.preventDefault();
    void send(event.altKey);
  };
  return (
    <form
      class="compose"
      aria-label={`Write to ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        void send(false);
      }}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        isOver.value = false;
        onDrop(event);
      }}
    >
      {wrong.value !== null && (
        <p class="t-failed small" role="alert">
          {wrong.value}
        </p>
      )}
      <div class={isOver.value ? "field box is-over" : "field box"}>
        {uploads.value.length > 0 && (
          <ul class="files">
            {uploads.value.map(({ key, name: file, size, state }) => (
              <li key={key} class={typeof state === "object" ? "chip wrong" : "chip"}>
                <Icon name="file" />
                <span class="cut">{visible(file)}</span>
                <span class="ink-3">
                  {state === "storing"
                    ? "storing"
                    : typeof state === "object"
                      ? messageOf(state.problem)
                      : sizeOf(size)}
                </span>
                <button
                  type="button"
                  aria-label={`Remove ${visible(file)}`}
                  onClick={() => (uploads.value = uploads.value.filter((one) => one.key !== key))}
                >
                  <Icon name="close" />
                </button>
              </li>
            ))}
          </ul>
        )}
        <textarea
          ref={field}
          rows={1}
          aria-label={`Message to ${name}`}
          placeholder={`Message to ${name}`}
          value={draft}
          dir="auto"
          onInput={(event) => (draft.value = event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <div class="tools">
          <AttachButton onFiles={attach} />
          {isWorking && (
            <span class="ink-3 small no-phone">
              Waits for its turn. <kbd>Alt ⏎</kbd> says it now.
            </span>
          )}
          <span class="gap" />
          {isWorking && onStop && (
            <Button kind="quiet" busyText="Stopping" onPress={onStop}>
              Stop <kbd aria-hidden="true">Esc</kbd>
            </Button>
          )}
          <button type="submit" class="btn" disabled={!isReady} aria-busy={isSending.value}>
            {isSending.value ? "Sending" : "Send"} <kbd aria-hidden="true">⏎</kbd>
          </button>
        </div>
      </div>
    </form>
  );
}
