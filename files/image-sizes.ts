/** How large the images of a conversation are: what a provider counts for one goes by that. Each is looked at once. */
import type { FilePart } from "../protocol/files/attachment.ts";

type WithParts = { parts?: FilePart[] | undefined };

/** So many are looked at together. */
const atOnce = 16;

export class ImageSizes {
  readonly #folder: string | undefined;
  readonly #known = new Map<string, FilePart>();

  /** @param folder where the contents are; absent: nothing is known */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Looks at those that weren't seen before. */
  async look(messages: readonly WithParts[]): Promise<void> {
    const images = messages.flatMap(({ parts = [] }) => parts.filter(({ mime }) => mime.startsWith("image/")));
    const fresh = images.filter(({ id }) => !this.#known.has(id));
    if (this.#folder === undefined || fresh.length === 0) return;
    // Few runs have an image.
    const { withImageSizes } = await import("./attachment-sizes.ts");
    const each = [...new Map(fresh.map((part) => [part.id, part])).values()];
    for (let at = 0; at < each.length; at += atOnce)
      for (const part of await withImageSizes(this.#folder, each.slice(at, at + atOnce)))
        this.#known.set(part.id, part);
  }

  /** The messages with the sizes of their images. */
  sized<Each extends WithParts>(messages: readonly Each[]): readonly Each[] {
    if (this.#known.size === 0) return messages;
    return messages.map((message) =>
      message.parts ? { ...message, parts: message.parts.map((part) => this.#known.get(part.id) ?? part) } : message,
    );
  }
}
