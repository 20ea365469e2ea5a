/** Whether changes are really to be deleted. */
import { Button } from "../../parts/buttons/button.tsx";
import { Dialog } from "../../parts/layout/dialog.tsx";
import { countOf } from "../../words/amounts/money.ts";
import { visible } from "../../words/text/visible-text.ts";
import type { Change } from "./change-words.ts";

type DropProps = { change: Change; onDrop: () => Promise<void>; onClose: () => void };

export function DropDialog({ change: { files, branch, folder }, onDrop, onClose }: DropProps) {
  const drop = async () => {
    await onDrop();
    onClose();
  };
  const what = files.length === 0 ? "these changes" : `the changes of ${countOf(files.length, "file")}`;
  return (
    <Dialog
      title={`Drop ${what}?`}
      onClose={onClose}
      actions={
        <Button kind="danger" busyText="Dropping" onPress={drop}>
          Drop {what}
        </Button>
      }
    >
      <p class="ink-2">
        They are deleted for good, with the branch <code>{visible(branch)}</code>. The files of{" "}
        <code>{visible(folder)}</code> stay as they are.
      </p>
    </Dialog>
  );
}
