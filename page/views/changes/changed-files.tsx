/** The files of changes, each folded or with its lines. */
import { useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { PlusMinus } from "../../parts/content/diff.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import { countOf } from "../../words/amounts/money.ts";
import { filesOf, type PatchFile } from "../../words/diff/patch.ts";
import { visible } from "../../words/text/visible-text.ts";
import type { readDiff } from "./changes-store.ts";
import { FileLines } from "./file-lines.tsx";

type ChangeDiff = Awaited<ReturnType<typeof readDiff>>;
type File = ChangeDiff["change"]["files"][number];

/** A file with more lines than this is folded at first; so are the files behind the first ones of many. */
const longFile = 400;
const openFiles = 12;

const statusWords: Record<File["status"], string> = {
  added: "new",
  modified: "",
  deleted: "deleted",
  renamed: "renamed",
};

export function ChangedFiles({ diff: { change, patch, cut, file } }: { diff: ChangeDiff }) {
  const { files } = change;
  const patches = useMemo(() => filesOf(patch ?? ""), [patch]);
  /** The files that somebody has folded or opened. */
  const turned = useSignal<ReadonlySet<string>>(new Set());
  const opensItself = (path: string, index: number) =>
    index < openFiles && (patches.get(path)?.lineCount ?? 0) <= longFile;
  const isOpen = (path: string, index: number) => opensItself(path, index) !== turned.value.has(path);
  const areAllOpen = useComputed(() => change.files.every(({ path }, index) => isOpen(path, index)));
  const turn = (path: string) => {
    const rest = new Set(turned.value);
    if (!rest.delete(path)) rest.add(path);
    turned.value = rest;
  };
  const turnAll = () => {
    const wanted = !areAllOpen.value;
    turned.value = new Set(
      files.filter(({ path }, index) => opensItself(path, index) !== wanted).map(({ path }) => path),
    );
  };
  if (patch === null) return <p class="became">The lines of these changes aren’t there any more.</p>;
  return (
    <section aria-label="Files">
      <div class="sec">
        <h2>{countOf(files.length, "file")}</h2>
        <button type="button" class="btn quiet to" onClick={turnAll}>
          {areAllOpen.value ? "Fold all" : "Open all"}
        </button>
      </div>
      {files.map((one, index) => (
        <FileSection
          key={one.path}
          change={change.id}
          file={one}
          patch={patches.get(one.path)}
          isOpen={isOpen(one.path, index)}
          canComment={change.state === "open" || change.state === "conflict"}
          onTurn={() => turn(one.path)}
        />
      ))}
      {cut && (
        <p class="became">
          There is more than is shown here. All of it is in <code>{file}</code> of the journal.
        </p>
      )}
    </section>
  );
}

type SectionProps = {
  change: string;
  file: File;
  patch: PatchFile | undefined;
  isOpen: boolean;
  canComment: boolean;
  onTurn: () => void;
};

function FileSection({ change, file, patch, isOpen, canComment, onTurn }: SectionProps) {
  const { path, from, status, binary } = file;
  return (
    <section class="changed-file" aria-label={visible(path)}>
      <h3>
        <button type="button" aria-expanded={isOpen} onClick={onTurn} data-row>
          <Icon name={isOpen ? "down" : "next"} />
          <bdi class="path">
            {from !== undefined && <span class="ink-3">{visible(from)} → </span>}
            {visible(path)}
          </bdi>
          <span class="ink-3 small">{statusWords[status]}</span>
          <span class="gap" />
          {binary === true ? <span class="ink-3 small">not text</span> : <PlusMinus of={file} />}
        </button>
      </h3>
      {isOpen && (
        <div class="changed-lines">
          {patch === undefined || patch.lineCount === 0 ? (
            <p class="ink-3 small">{binary === true ? "Its bytes were changed." : "None of its lines is shown."}</p>
          ) : (
            <FileLines change={change} patch={patch} canComment={canComment} />
          )}
        </div>
      )}
    </section>
  );
}
