/** The words of a sound, by an endpoint that speaks OpenAI's `audio/transcriptions`: bounded in time and size. */
import { openAsBlob } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import { readChannelSecret } from "../../journal/channels/channel-secret.ts";
import type { TranscribeSettings } from "../../protocol/agents/channels/transcribe.ts";
import { contentPath } from "../../protocol/files/attachment.ts";
import { tryParseJson } from "../../protocol/json/parse-json.ts";

/** A message waits for its words so long, and those behind it. */
const withinMs = 60_000;
const maxAnswerBytes = 1024 * 1024;
/** Characters that are taken of what was said. */
const longestText = 16_000;

const Answer = z.object({ text: z.string() });

export type SoundFile = { id: string; name: string; mime: string };

/** @throws Error when it can't be told what was said; the text of it has no key in it */
export type Transcribe = (file: SoundFile, signal: AbortSignal) => Promise<string>;

type TranscribeDeps = { journal: string; env: NodeJS.ProcessEnv };

/** @param name of the setting, for errors @throws ChannelSecretError when the key that it names isn't there */
export function openTranscribe(
  { journal, env }: TranscribeDeps,
  { url, model, key_file, key_env }: TranscribeSettings,
  name: string,
): Transcribe {
  const isOpen = key_file === undefined && key_env === undefined;
  const key = isOpen
    ? undefined
    : readChannelSecret(journal, env, { name: `${name}.key`, file: key_file, variable: key_env });
  const address = `${url.replace(/(?<!\/)\/+$/, "")}/audio/transcriptions`;
  return async (file, signal) => {
    const form = new FormData();
    const bytes = await openAsBlob(join(attachmentsFolder(journal), contentPath(file.id)), { type: file.mime });
    form.set("file", bytes, file.name);
    form.set("model", model);
    form.set("response_format", "json");
    const response = await fetch(address, {
      method: "POST",
      body: form,
      // The key stays where it was sent.
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
      ...(key !== undefined && { headers: { Authorization: `Bearer ${key}` } }),
    });
    if (!response.ok || !response.body) throw new Error(`the transcription was answered with ${response.status}`);
    return textIn(await boundedText(response.body))
      .slice(0, longestText)
      .toWellFormed();
  };
}

async function boundedText(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new Error("the transcription's answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function textIn(answer: string): string {
  const text = Answer.safeParse(tryParseJson(answer)).data?.text.trim() ?? "";
  if (text === "") throw new Error("the transcription's answer has no text");
  return text;
}
