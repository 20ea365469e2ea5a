/** The line that is being typed: Node's own line editor, with nothing of it drawn, and pastes as one piece. */
import { createInterface, emitKeypressEvents, type Interface, type Key } from "node:readline";
import { PassThrough, Writable } from "node:stream";
import type { ReadStream } from "node:tty";

/** A line that was entered. Only what was typed, and not pasted, can be a command. */
export type EnteredLine = { text: string; isTyped: boolean };

export type LineInputHandlers = {
  onEnter: (entered: EnteredLine) => void;
  onEscape: () => void;
  onChange: () => void;
  /** Ctrl-D on an empty line, Ctrl-C. */
  onClose: () => void;
  /** Ctrl-Z. */
  onSuspend: () => void;
};

/** The stand-ins for line ends in the editor: characters that no text may have (Unicode's noncharacters). */
const standIns = [
  ["\n", "\uFDD0"],
  ["\u2028", "\uFDD1"],
  ["\u2029", "\uFDD2"],
] as const;

export class LineInput implements Disposable {
  readonly #stdin: ReadStream;
  readonly #handlers: LineInputHandlers;
  readonly #editor: Interface;
  #pasted: string | null = null;
  #isTyped = true;

  constructor(stdin: ReadStream, handlers: LineInputHandlers) {
    this.#stdin = stdin;
    this.#handlers = handlers;
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    // Keys are given to it one by one: it never reads itself.
    this.#editor = createInterface({ input: new PassThrough(), output: nowhere, terminal: true, prompt: "" });
    this.#editor.on("line", (line) => {
      const entered = { text: plain(line), isTyped: this.#isTyped };
      this.#isTyped = true;
      handlers.onEnter(entered);
    });
    this.#editor.on("close", handlers.onClose).on("SIGTSTP", handlers.onSuspend);
    emitKeypressEvents(stdin, this.#editor);
    stdin.on("keypress", this.#hearKey);
    this.open();
  }

  /** Takes the keyboard. */
  open(): void {
    this.#stdin.setRawMode(true);
    this.#stdin.resume();
  }

  /** Gives it back. */
  release(): void {
    this.#stdin.setRawMode(false);
    this.#stdin.pause();
  }

  /** The text before the cursor, and behind it. */
  get around(): [string, string] {
    const { line, cursor } = this.#editor;
    return [plain(line.slice(0, cursor)), plain(line.slice(cursor))];
  }

  [Symbol.dispose](): void {
    this.#stdin.off("keypress", this.#hearKey);
    this.#editor.close();
    this.release();
  }

  readonly #hearKey = (text: string | undefined, key: Key): void => {
    if (key.name === "paste-start") this.#pasted = "";
    else if (this.#pasted === null) this.#press(text, key);
    else if (key.name === "paste-end") this.#paste(this.#pasted);
    else this.#pasted += key.sequence ?? text ?? "";
  };

  #press(text: string | undefined, key: Key): void {
    if (key.name === "escape") return this.#handlers.onEscape();
    this.#editor.write(text, key);
    // Nothing of what was pasted is left.
    if (this.#editor.line === "") this.#isTyped = true;
    this.#handlers.onChange();
  }

  #paste(text: string): void {
    this.#pasted = null;
    this.#isTyped = false;
    // Terminals send a carriage return for the end of a line.
    this.#editor.write(standingIn(text.replaceAll(/\r\n?/g, "\n")));
    this.#handlers.onChange();
  }
}

const standingIn = (text: string) => standIns.reduce((all, [real, standIn]) => all.replaceAll(real, standIn), text);
const plain = (line: string) => standIns.reduce((all, [real, standIn]) => all.replaceAll(standIn, real), line);
