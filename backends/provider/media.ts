/** Files as a model is shown them: those that it takes, with their content. */
import type { Message } from "../../protocol/runs/run-config.ts";

export type Media = {
  kind: "image" | "pdf" | "audio";
  name: string;
  mime: string;
  /** The content in base64. */
  data: string;
};

/** A message whose files were opened: what the model takes is in `media`, the rest stands in its text or result. */
export type ShownMessage = Message & { media?: readonly Media[] };

/** Kind of a media type that some model takes as it is; null: none does. */
export function mediaKind(mime: string): Media["kind"] | null {
  if (mime === "application/pdf") return "pdf";
  if (mime.startsWith("image/")) return "image";
  return mime.startsWith("audio/") ? "audio" : null;
}

/** A file as a data URL. */
export const dataUrl = ({ mime, data }: Media) => `data:${mime};base64,${data}`;
