/** Files as parts of a message of Chat Completions. Pure. */
import type { OpenAI } from "openai";
import { dataUrl, type Media } from "../../provider/media.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";

type Part = OpenAI.ChatCompletionContentPart;

const images = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const sounds: Record<string, "wav" | "mp3"> = { "audio/wav": "wav", "audio/mpeg": "mp3" };

/**
 * Whether a model takes files of a type. Images are tried everywhere: a model that refuses one is asked without. PDFs are
 * taken by OpenAI, and read out by OpenRouter for any model; sound, by models that say in their name that they hear.
 */
export function takenInChat({ seller }: Endpoint, mime: string, model: string): boolean {
  if (mime === "application/pdf") return seller !== null;
  if (mime in sounds) return /audio|voxtral|omni/i.test(model) || (seller === "openrouter" && /gemini/i.test(model));
  return images.includes(mime);
}

/** Text alone stays a text: servers that know no parts take it. */
export function contentOf(text: string, media: readonly Media[] = []): string | Part[] {
  if (media.length === 0) return text;
  return [...(text.trim() === "" ? [] : [{ type: "text" as const, text }]), ...media.map(mediaPart)];
}

function mediaPart(media: Media): Part {
  const { kind, name, mime, data } = media;
  if (kind === "pdf") return { type: "file", file: { filename: name, file_data: dataUrl(media) } };
  if (kind === "audio") return { type: "input_audio", input_audio: { data, format: sounds[mime] ?? "wav" } };
  return { type: "image_url", image_url: { url: dataUrl(media) } };
}
