/** Content of a message in OpenAI's dialects: a text, or parts that are texts, images and files. */
import { z } from "zod";
import type { AttachmentRef } from "../../../protocol/files/attachment.ts";
import { OpenAiError } from "./openai-error.ts";

const Part = z.looseObject({ type: z.string().max(64) });
export const Content = z.union([z.string(), z.array(Part).max(256)]);
export type Content = z.infer<typeof Content>;

/** @param where as the client knows it, such as `messages[2].content` */
export function readContent(content: Content, where: string): { text: string; attachments: AttachmentRef[] } {
  if (typeof content === "string") return { text: content, attachments: [] };
  const texts: string[] = [];
  const attachments: AttachmentRef[] = [];
  for (const [index, part] of content.entries()) {
    const at = `${where}[${index}]`;
    const text = textPart(part);
    if (text !== undefined) texts.push(text);
    else attachments.push(filePart(part, at));
  }
  return { text: texts.join("\n\n"), attachments };
}

/** A part that has text: of what is asked, of what was answered, and of an answer that was refused. */
function textPart({ type, text, refusal }: Record<string, unknown>): string | undefined {
  const isText = ["text", "input_text", "output_text"].includes(String(type));
  if (!isText && type !== "refusal") return undefined;
  const said = isText ? text : refusal;
  return typeof said === "string" ? said : "";
}

function filePart(part: Record<string, unknown>, at: string): AttachmentRef {
  const { type } = part;
  if (type === "image_url") return image(objectIn(part["image_url"])["url"], at);
  if (type === "input_image") return image(part["image_url"], at);
  const file = type === "file" ? objectIn(part["file"]) : part;
  if ((type === "file" || type === "input_file") && typeof file["file_data"] === "string")
    return dataOf(file["file_data"], nameIn(file["filename"]), at);
  throw new OpenAiError(
    400,
    `${at}: expected text, an image or a file with its content, got ${JSON.stringify(type)}: nothing else is taken`,
    { param: at },
  );
}

const objectIn = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const nameIn = (name: unknown) => (typeof name === "string" && name !== "" ? name : "file");

function image(url: unknown, at: string): AttachmentRef {
  if (typeof url === "string" && url.startsWith("data:")) return dataOf(url, "image", at);
  throw new OpenAiError(400, `${at}: expected a data: URL with the image in base64: no address is fetched`, {
    param: at,
  });
}

/** `data:image/png;base64,…`, or the base64 alone. */
function dataOf(url: string, name: string, at: string): AttachmentRef {
  if (!url.startsWith("data:")) return { data: url, name };
  const comma = url.indexOf(",");
  const [mime = "", ...options] = url.slice("data:".length, Math.max(comma, 0)).split(";");
  if (comma === -1 || !options.includes("base64"))
    throw new OpenAiError(400, `${at}: expected a data: URL in base64`, { param: at });
  return { data: url.slice(comma + 1), name, ...(mime !== "" && { mime: mime.slice(0, 256) }) };
}
