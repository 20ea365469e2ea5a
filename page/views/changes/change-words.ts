/** Changes in words: their state, what they are in, and how large they are. Pure. */
import type { ApiRecord } from "../../api/client.ts";
import { countOf } from "../../words/amounts/money.ts";
import type { MarkKind } from "../../words/runs/run-states.ts";

export type Change = ApiRecord<"ChangeRow">;

export const changeStates: Record<Change["state"], { mark: MarkKind; word: string }> = {
  open: { mark: "you", word: "Waits for you" },
  conflict: { mark: "failed", word: "Does not fit any more" },
  applied: { mark: "done", word: "Applied" },
  dropped: { mark: "stopped", word: "Dropped" },
};

export const isWaiting = ({ state }: Change) => state === "open" || state === "conflict";

export const linesOf = ({ files }: Pick<Change, "files">) => ({
  added: files.reduce((sum, file) => sum + file.added, 0),
  removed: files.reduce((sum, file) => sum + file.removed, 0),
});

/** The folder's own name. */
export const folderName = (folder: string): string => folder.split("/").findLast((name) => name !== "") ?? folder;

/** `notes.md and 2 more`. */
export function filesInWords({ files, left_out, state }: Change): string {
  const [first] = files;
  if (first === undefined) return state === "dropped" ? "deleted" : countOf(left_out.length, "file");
  const name = first.path.split("/").at(-1) ?? first.path;
  return files.length === 1 ? name : `${name} and ${files.length - 1} more`;
}
