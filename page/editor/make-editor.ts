/** An editor of text, by CodeMirror. It stands in a shadow root: its styles are sheets there, which the page's policy allows. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import { EditorState, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from "@codemirror/view";

import { changedLines } from "../words/diff/changed-lines.ts";
import { textChange } from "../words/diff/text-change.ts";

export type EditorOptions = {
  host: HTMLElement;
  text: string;
  /** As it was saved: lines that differ are marked. */
  saved: string;
  label: string;
  language: "markdown" | "json";
  isReadOnly: boolean;
  onChange: (text: string) => void;
};

export type Editor = {
  /** Shows another text, unless it is the one that stands there. */
  setText: (text: string) => void;
  setSaved: (saved: string) => void;
  /** Has whoever types go on at a place of the text. */
  focus: (at: number) => void;
  close: () => void;
};

/** The height of the bar that saves, in px, and a little more. */
const barPx = 112;

export function makeEditor(options: EditorOptions): Editor {
  const { host, text, saved, label, language, isReadOnly, onChange } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  let isTold = true;
  const view = new EditorView({
    parent: root as unknown as HTMLElement,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        EditorView.lineWrapping,
        EditorState.readOnly.of(isReadOnly),
        // On a phone the bar below stands over the text.
        EditorView.scrollMargins.of(() => ({ bottom: barPx })),
        keymap.of([{ key: "Escape", run: leave }, ...defaultKeymap, ...historyKeymap]),
        language === "json" ? json() : markdown(),
        syntaxHighlighting(colours),
        changes.init(() => ({ saved, marks: Decoration.none })),
        look,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: language === "json" ? "false" : "true" }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged && isTold) onChange(state.doc.toString());
        }),
      ],
    }),
  });
  // The page's keys are letters: here they are text.
  const keepKeys = (event: KeyboardEvent) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
  };
  host.addEventListener("keydown", keepKeys);
  view.dispatch({ effects: savedIs.of(saved) });
  return {
    setText: (now) => {
      const change = textChange(view.state.doc.toString(), now);
      if (change === null) return;
      isTold = false;
      view.dispatch({ changes: change });
      isTold = true;
    },
    setSaved: (now) => view.dispatch({ effects: savedIs.of(now) }),
    focus: (at) => {
      view.dispatch({ selection: { anchor: Math.min(at, view.state.doc.length) } });
      view.focus();
    },
    close: () => {
      host.removeEventListener("keydown", keepKeys);
      view.destroy();
    },
  };
}

function leave(view: EditorView): boolean {
  view.contentDOM.blur();
  return true;
}

const savedIs = StateEffect.define<string>();

/** The lines that aren't as they were saved. */
const changes = StateField.define<{ saved: string; marks: DecorationSet }>({
  create: () => ({ saved: "", marks: Decoration.none }),
  update: (value, { docChanged, effects, state }) => {
    const told = effects.find((effect) => effect.is(savedIs));
    if (!docChanged && told === undefined) return value;
    const saved = told === undefined ? value.saved : told.value;
    return { saved, marks: marksOf(saved, state) };
  },
  provide: (field) => EditorView.decorations.from(field, ({ marks }) => marks),
});

const changedLine = Decoration.line({ class: "cm-changed" });

function marksOf(saved: string, { doc }: EditorState): DecorationSet {
  const marks = new RangeSetBuilder<Decoration>();
  const { from, to } = changedLines(saved, doc.toString());
  for (let number = from; number <= Math.min(to, doc.lines); number++) {
    const at = doc.line(number).from;
    marks.add(at, at, changedLine);
  }
  return marks.finish();
}

const colours = HighlightStyle.define([
  { tag: [tags.heading, tags.strong], fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: [tags.monospace, tags.propertyName], color: "var(--accent)" },
  { tag: [tags.processingInstruction, tags.comment, tags.punctuation], color: "var(--ink-3)" },
  { tag: [tags.link, tags.url], textDecoration: "underline" },
]);

const look = EditorView.theme({
  "&": { color: "var(--ink)", font: "inherit", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { font: "inherit", lineHeight: "inherit" },
  ".cm-content": { padding: "8px 0 16px", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 8px 0 12px" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-3)", border: "0", minWidth: "28px" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 4px 0 0", minWidth: "22px", fontSize: "12px" },
  ".cm-changed": { backgroundColor: "var(--added-wash)", boxShadow: "inset 2px 0 0 var(--added)" },
});
