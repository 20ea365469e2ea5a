/** Files as blocks of the Messages API. Pure. */
import type Anthropic from "@anthropic-ai/sdk";
import type { Media } from "../provider/media.ts";

type ImageType = Anthropic.Base64ImageSource["media_type"];

const types = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"];

export const isTaken = (mime: string) => types.includes(mime);

/** Images and PDFs stand before the text, as the API's guide wants it. */
export function mediaBlocks(
  media: readonly Media[] = [],
): (Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam)[] {
  return media.map(({ kind, mime, name, data }) =>
    kind === "pdf"
      ? { type: "document", source: { type: "base64", media_type: "application/pdf", data }, title: name }
      : { type: "image", source: { type: "base64", media_type: mime as ImageType, data } },
  );
}
