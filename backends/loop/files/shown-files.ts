/**
 * Opens the files of a conversation for a model call. What the model takes goes along as it is, the newest first as far as
 * there is room; text is read into the message; of anything else a line says what it is. So a conversation with files goes on
 * with any model.
 */
import { AttachmentError } from "../../../files/errors/attachment-error.ts";
import { quoteLabels } from "../../../conversation/marks/speaker-labels.ts";
import type { FilePart } from "../../../protocol/files/attachment.ts";
import { isTextType } from "../../../protocol/files/media-type.ts";
import type { Message } from "../../../protocol/runs/run-config.ts";
import { type Media, mediaKind, type ShownMessage } from "../../provider/media.ts";
import { fitImage } from "./fit-image.ts";
import { bounded } from "../calls/tool-result.ts";

/** Bytes of all files of a call, in base64. Google takes 20 MB in a request, Anthropic 32, OpenAI 50. */
const maxBytes = 18 * 1024 * 1024;
/** With more than 20 images, Anthropic takes smaller ones alone. */
const maxFiles = 20;
/** Bytes of the largest file that is read into memory. */
const maxRead = 64 * 1024 * 1024;

type Opened = { kind: "media"; media: Media } | { kind: "text"; text: string } | { kind: "not shown"; why: string };

export class ShownFiles {
  readonly #folder: string | undefined;
  readonly #takes: (mime: string) => boolean;
  readonly #tools: readonly string[];
  readonly #opened = new Map<string, Promise<Opened>>();
  #isRefused = false;

  /**
   * @param folder where the contents are
   * @param takes whether the model takes files of a type as they are
   * @param tools that the run has: how a file that isn't shown is opened, depends on them
   */
  constructor(folder: string | undefined, takes: (mime: string) => boolean, tools: readonly string[]) {
    this.#folder = folder;
    this.#takes = takes;
    this.#tools = tools;
  }

  /** From here on no file goes along as it is: the model has refused one. */
  refuse(): void {
    this.#isRefused = true;
    this.#opened.clear();
  }

  async show(messages: readonly Message[]): Promise<ShownMessage[]> {
    const left = { bytes: maxBytes, files: maxFiles };
    const shown: ShownMessage[] = [];
    for (const message of messages.toReversed()) shown.unshift(await this.#showMessage(message, left));
    return shown;
  }

  async #showMessage(message: Message, left: { bytes: number; files: number }): Promise<ShownMessage> {
    const { parts, ...rest } = message;
    if (!parts || parts.length === 0) return message;
    const media: Media[] = [];
    const lines: string[] = [];
    for (const part of parts) {
      const opened = await this.#open(part);
      if (opened.kind === "media" && left.files > 0 && opened.media.data.length <= left.bytes) {
        media.push(opened.media);
        left.files--;
        left.bytes -= opened.media.data.length;
        lines.push(lineOf(part));
      } else if (opened.kind === "text") {
        lines.push(`${lineOf(part)}\n${opened.text}\n[end of ${part.name}]`);
      } else {
        lines.push(lineOf(part, `, ${opened.kind === "not shown" ? opened.why : this.#whyNot(opened.media)}`));
      }
    }
    return { ...rest, ...withLines(rest, lines), ...(media.length > 0 && { media }) };
  }

  #open(part: FilePart): Promise<Opened> {
    const known = this.#opened.get(part.id);
    if (known) return known;
    const opening = this.#read(part).catch((error: unknown): Opened => {
      if (error instanceof AttachmentError) return { kind: "not shown", why: `not shown: ${error.message}` };
      throw error;
    });
    this.#opened.set(part.id, opening);
    return opening;
  }

  /** Why a file that the model takes isn't shown to it. */
  #whyNot({ data }: Media): string {
    const most = mebibytes(maxBytes);
    return data.length > maxBytes
      ? `not shown: it is too large for a model, ${mebibytes(data.length)} as it would be sent, of at most ${most}; ${this.#way}`
      : `not shown: newer files of the conversation, or those before it in the message, take the room there is, ${maxFiles} files and ${most}${this.#tools.includes("read") ? "; read shows it again" : ""}`;
  }

  /** How it is opened all the same. */
  get #way(): string {
    return this.#tools.includes("save")
      ? "save with into: folder puts it into the work folder, for commands"
      : "the run has no tool that opens it (the pack files has save)";
  }

  async #read(part: FilePart): Promise<Opened> {
    const { id, name, mime } = part;
    const kind = mediaKind(mime);
    const isTaken = kind !== null && !this.#isRefused && this.#takes(mime);
    if (this.#folder === undefined || (!isTaken && !isTextType(mime)))
      return { kind: "not shown", why: `not shown: this model takes none of its kind; ${this.#way}` };
    // Few runs have a file, and the store brings all of Node's crypto.
    const { readAttachment } = await import("../../../files/attachment-store.ts");
    const content = await readAttachment(this.#folder, id, maxRead);
    if (!content) return { kind: "not shown", why: "not shown: its content isn't stored here any more" };
    if (kind === null || !isTaken) return { kind: "text", text: quoteLabels(bounded(content.toString("utf8"))) };
    const fitted = kind === "image" ? await fitImage(content, mime) : { content, mime };
    return { kind: "media", media: { kind, name, mime: fitted.mime, data: fitted.content.toString("base64") } };
  }
}

const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** Names it in words, with the id by which tools take it. */
const lineOf = ({ name, mime, size, id }: FilePart, more = "") =>
  `[file ${name}: ${mime}, ${size} bytes, attachment:${id}${more}]`;

function withLines(message: Message, lines: readonly string[]): Partial<Message> {
  if (message.role !== "tool") return { text: [message.text ?? "", ...lines].filter(Boolean).join("\n\n") };
  const { result } = message;
  const text = typeof result === "string" ? result : JSON.stringify(result ?? "");
  return { result: [text, ...lines].filter(Boolean).join("\n") };
}
