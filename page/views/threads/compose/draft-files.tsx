/** Files that go with a message: each is stored as soon as it is chosen. What is stored is kept with the draft. */
import { useSignal } from "@preact/signals";
import { Icon } from "../../../parts/buttons/icon.tsx";
import { draftOf } from "../../../stores/browser/drafts.ts";
import { storeFile } from "../../../stores/workspace/thread-actions.ts";
import { sizeOf } from "../../../words/amounts/money.ts";
import { messageOf } from "../../../words/notices/problem.ts";
import { visible } from "../../../words/text/visible-text.ts";

type Stored = { id: string; name: string; size: number };
type Storing = { key: number; name: string; problem: string | null };

export type DraftFileList = {
  stored: readonly Stored[];
  storing: readonly Storing[];
  isStoring: boolean;
  add: (file: File) => void;
  remove: (id: string) => void;
  removeFile: (key: number) => void;
  /** Forgets the files that went with a message, and what couldn't be stored. */
  clear: (sent: readonly { id: string }[]) => void;
};

let made = 0;

export function useDraftFiles(workspace: string, of: string): DraftFileList {
  const kept = draftOf(`files of ${of}`);
  const storing = useSignal<readonly Storing[]>([]);
  const readKept = () => (kept.value === "" ? [] : (JSON.parse(kept.value) as Stored[]));
  const stored = readKept();
  const keep = (files: readonly Stored[]) => {
    kept.value = files.length === 0 ? "" : JSON.stringify(files);
  };
  const forget = (key: number) => {
    storing.value = storing.value.filter((one) => one.key !== key);
  };
  const add = async (file: File) => {
    const key = made++;
    storing.value = [...storing.value, { key, name: file.name, problem: null }];
    try {
      const { id, name, size } = await storeFile(workspace, file);
      keep([...readKept().filter((one) => one.id !== id), { id, name, size }]);
      forget(key);
    } catch (error) {
      const problem = messageOf(error);
      storing.value = storing.value.map((one) => (one.key === key ? { ...one, problem } : one));
    }
  };
  return {
    stored,
    storing: storing.value,
    isStoring: storing.value.some(({ problem }) => problem === null),
    add: (file) => void add(file),
    remove: (id) => keep(stored.filter((one) => one.id !== id)),
    removeFile: forget,
    clear: (sent) => {
      const ids = new Set(sent.map(({ id }) => id));
      keep(readKept().filter(({ id }) => !ids.has(id)));
      storing.value = storing.value.filter(({ problem }) => problem === null);
    },
  };
}

export function DraftFiles({ files }: { files: DraftFileList }) {
  if (files.stored.length + files.storing.length === 0) return null;
  return (
    <ul class="files">
      {files.stored.map(({ id, name, size }) => (
        <li key={id} class="chip">
          <bdi class="cut">{visible(name)}</bdi>
          <span class="ink-3">{sizeOf(size)}</span>
          <Remove name={name} onPress={() => files.remove(id)} />
        </li>
      ))}
      {files.storing.map(({ key, name, problem }) => (
        <li key={key} class="chip" role={problem === null ? "status" : "alert"}>
          <bdi class="cut">{visible(name)}</bdi>
          <span class={problem === null ? "ink-3" : "t-failed cut"}>{problem ?? "is being stored"}</span>
          {problem !== null && <Remove name={name} onPress={() => files.removeFile(key)} />}
        </li>
      ))}
    </ul>
  );
}

function Remove({ name, onPress }: { name: string; onPress: () => void }) {
  return (
    <button type="button" aria-label={`Remove ${visible(name)}`} onClick={onPress}>
      <Icon name="close" />
    </button>
  );
}
