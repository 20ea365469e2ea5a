/** The button that asks for files to go with a message. */
import { useRef } from "preact/hooks";
import { Icon } from "../buttons/icon.tsx";

export function AttachButton({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        type="file"
        multiple
        hidden
        ref={picker}
        onChange={(event) => {
          onFiles(event.currentTarget.files ?? []);
          // The same file can be chosen once more.
          event.currentTarget.value = "";
        }}
      />
      <button type="button" class="btn quiet icon" aria-label="Attach a file" onClick={() => picker.current?.click()}>
        <Icon name="clip" />
      </button>
    </>
  );
}
