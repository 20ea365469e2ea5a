/** The memory of agents: files that they write, to be read and edited. */
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { answered, client } from "../../api/client.ts";
import { useKeys } from "../../keys/keys.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Empty } from "../../parts/loading/empty.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import { useKeptFirst } from "../../parts/list/use-kept-first.ts";
import { Loading } from "../../parts/loading/loading.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { sizeOf } from "../../words/amounts/money.ts";
import { NewNote } from "../notes/new-note.tsx";
import { NotePage } from "../notes/note-page.tsx";
import { addressOf } from "./agents-place.ts";
import { SideList } from "./side-list.tsx";

export function MemorySection({ path }: { path: string | null }) {
  const { route } = useLocation();
  const isMaking = useSignal(false);
  const { data, problem, read } = useAnswer("memory", (signal) => answered(client.GET("/api/v1/memory", { signal })), [
    "memory",
  ]);
  useKeys({ "+": () => (isMaking.value = true) });
  const items = data.value?.items ?? [];
  const first = useKeptFirst(items.map((item) => item.path));
  const shown = path ?? first;
  const folders = [...new Set(items.map((item) => folderOf(item.path)))];
  const file = items.find((one) => one.path === shown);
  const make = async (made: string) => {
    const body = { path: made, text: "", version: null };
    await answered(client.PATCH("/api/v1/memory/file", { body }));
    isMaking.value = false;
    await read();
    route(addressOf("memory", made));
  };
  return (
    <SideList
      section="memory"
      groups={folders.map((folder) => ({
        title: folder === "" ? "Files" : folder,
        entries: items
          .filter((item) => folderOf(item.path) === folder)
          .map((item) => ({
            key: item.path,
            text: folder === "" ? item.path : item.path.slice(folder.length + 1),
            to: addressOf("memory", item.path),
          })),
      }))}
      shown={shown === null ? null : addressOf("memory", shown)}
      isIndex={path === null}
      loading={<Loading isThere={data.value !== null} error={problem.value} onRetry={read} rows={6} />}
      actions={
        <Button class="icon" label="New file" onPress={() => (isMaking.value = true)}>
          <Icon name="plus" />
        </Button>
      }
    >
      {data.value !== null && shown === null && (
        <Empty title="Nothing is remembered yet.">
          Agents write here what they want to know later. You can write something as well: press +.
        </Empty>
      )}
      {shown !== null && (
        <NotePage
          key={shown}
          place={`memory ${shown}`}
          part="memory"
          title={shown}
          about={file === undefined ? "memory" : `memory, ${sizeOf(file.bytes)}`}
          read={() => answered(client.GET("/api/v1/memory/file", { params: { query: { path: shown } } }))}
          write={({ text, version }) =>
            answered(client.PATCH("/api/v1/memory/file", { body: { path: shown, text, version } }))
          }
          onSaved={() => void read()}
        />
      )}
      {isMaking.value && (
        <NewNote
          title="New file of the memory"
          label="Name"
          example="people/anna.md"
          good={/^(?!.*\/\.)(?![./])[^\p{Cc}\\]{1,290}\.md$/u}
          rule="A name that ends with .md; folders are set off by slashes."
          onClose={() => (isMaking.value = false)}
          onMade={make}
        />
      )}
    </SideList>
  );
}

const folderOf = (path: string) => path.split("/").slice(0, -1).join("/");
