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

type NotShown = { kind: "not shown"; why: string };
type Opened = { kind: "media"; media: Media } | { kind: "text"; text: string } | NotShown;

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
        const { why } = opened.kind === "not shown" ? opened : this.#withoutRoom(part, opened.media);
        lines.push(lineOf(part, `, not shown: ${why}`));
      }
    }
    return { ...rest, ...withLines(rest, lines), ...(media.length > 0 && { media }) };
  }

  #open(part: FilePart): Promise<Opened> {
    const known = this.#opened.get(part.id);
    if (known) return known;
    const opening = this.#read(part).catch((error: unknown): Opened => {
      if (error instanceof AttachmentError) return notShown(error.message, this.#wayTo(part));
      throw error;
    });
    this.#opened.set(part.id, opening);
    return opening;
  }

  /** A file that the model takes, and that there is no room for. */
  #withoutRoom(part: FilePart, { data }: Media): NotShown {
    const most = mebibytes(maxBytes);
    if (data.length > maxBytes) {
      const size = mebibytes(data.length);
      return notShown(
        `it is too large for a model, ${size} as it would be sent, of at most ${most}`,
        this.#wayTo(part),
      );
    }
    const why = "newer files of the conversation, or those before it in the message, take the room there is";
    const again = `read with the path attachment:${part.id} shows it again`;
    return notShown(`${why}, ${maxFiles} files and ${most}`, this.#tools.includes("read") ? again : this.#wayTo(part));
  }

  /** How a file is opened that isn't shown, as far as the run has a tool for it. */
  #wayTo({ id, mime }: FilePart): string {
    const has = (tool: string) => this.#tools.includes(tool);
    if (isTextType(mime) && has("read")) return `read with the path attachment:${id} gives its lines`;
    if (!has("save")) return "no tool of this run opens it";
    return has("bash")
      ? "save with into: folder puts it into the work folder, for commands"
      : "save puts it into the journal, or with into: folder into the work folder";
  }

  async #read(part: FilePart): Promise<Opened> {
    const { id, name, mime } = part;
    const kind = mediaKind(mime);
    const isOfItsKinds = kind !== null && this.#takes(mime);
    const isTaken = isOfItsKinds && !this.#isRefused;
    if (!isTaken && !isTextType(mime)) {
      const why = isOfItsKinds ? "has refused a file, and is sent none since" : "takes none of its kind";
      return notShown(`this model ${why}`, this.#wayTo(part));
    }
    if (this.#folder === undefined) return notShown("where its content is isn't known");
    // Few runs have a file, and the store brings all of Node's crypto.
    const { readAttachment } = await import("../../../files/attachment-store.ts");
    const content = await readAttachment(this.#folder, id, maxRead);
    if (!content) return notShown("its content isn't stored here any more");
    if (kind === null || !isTaken) return { kind: "text", text: quoteLabels(bounded(content.toString("utf8"))) };
    const fitted = kind === "image" ? await fitImage(content, mime) : { content, mime };
    return { kind: "media", media: { kind, name, mime: fitted.mime, data: fitted.content.toString("base64") } };
  }
}

/** @param way how it is opened all the same */
const notShown = (why: string, ...way: string[]): NotShown => ({ kind: "not shown", why: [why, ...way].join("; ") });

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
