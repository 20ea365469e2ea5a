/** A text to be edited, with numbers of lines and marks at those that aren't saved. The editor comes when it is first needed; a plain field stands there until then. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Editor } from "../../editor/make-editor.ts";
import "./code-editor.css";

type CodeEditorProps = {
  text: string;
  saved: string;
  label: string;
  language: "markdown" | "json";
  /** From the beginning on: it is to be read alone. */
  isReadOnly?: boolean;
  onChange: (text: string) => void;
};

export function CodeEditor({ text, saved, label, language, isReadOnly = false, onChange }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<Editor | null>(null);
  const isThere = useSignal(false);
  // What it calls is the newest: it is made once.
  const change = useRef(onChange);
  change.current = onChange;
  const now = useRef({ text, saved });
  now.current = { text, saved };
  // What was typed comes back as `text` later than more is typed: only another one is shown.
  const typed = useRef<string[]>([]);
  /** Where somebody was typing in the plain field when the editor came. */
  const typedUpTo = useRef<number | null>(null);
  useEffect(() => {
    let isGone = false;
    import("../../editor/make-editor.ts").then(
      ({ makeEditor }) => {
        if (isGone || host.current === null) return;
        const options = { host: host.current, ...now.current, label, language, isReadOnly };
        if (plain.current !== null && document.activeElement === plain.current)
          typedUpTo.current = plain.current.selectionEnd;
        editor.current = makeEditor({
          ...options,
          onChange: (told) => {
            typed.current.push(told);
            change.current(told);
          },
        });
        isThere.value = true;
      },
      // The plain field does as well.
      () => {},
    );
    return () => {
      isGone = true;
      editor.current?.close();
      editor.current = null;
    };
  }, []);
  useLayoutEffect(() => {
    if (typedUpTo.current !== null) editor.current?.focus(typedUpTo.current);
    typedUpTo.current = null;
  }, [isThere.value]);
  useEffect(() => {
    const at = typed.current.indexOf(text);
    if (at === -1) editor.current?.setText(text);
    typed.current = at === -1 ? [] : typed.current.slice(at + 1);
  }, [text]);
  useEffect(() => editor.current?.setSaved(saved), [saved]);
  return (
    <div class={`code-editor ${language}`}>
      <div ref={host} hidden={!isThere.value} />
      {!isThere.value && (
        <textarea
          ref={plain}
          aria-label={label}
          value={text}
          readOnly={isReadOnly}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </div>
  );
}
