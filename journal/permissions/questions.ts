/** Questions about calls, `.state/permissions/<id>.json`, each replaced as a whole; and which allowed calls were begun, `<id>.begun`. */
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { existsSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";
import { readDocument } from "../../files/json-document.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { syncFolder } from "../../files/writing/sync-folder.ts";
import { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import { QuestionId, questionIdPattern } from "../../protocol/runs/request/permission-notice.ts";
import { state } from "../config/paths.ts";

const folder = (journal: string) => state(journal, "permissions");
const questionFile = (journal: string, id: string) => state(journal, "permissions", `${QuestionId.parse(id)}.json`);
const begunFile = (journal: string, id: string) => state(journal, "permissions", `${QuestionId.parse(id)}.begun`);

/** The ids of all that are kept. */
export function questionIds(journal: string): string[] {
  const names = existsSync(folder(journal)) ? readdirSync(folder(journal)) : [];
  return names
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .filter((id) => questionIdPattern.test(id));
}

/** All that are kept. One that can't be read is left out. */
export const listQuestions = (journal: string): KeptQuestion[] =>
  questionIds(journal).flatMap((id) => readQuestion(journal, id) ?? []);

/** Null: there is none of that id. */
export function readQuestion(journal: string, id: string): KeptQuestion | null {
  return questionIdPattern.test(id) ? readDocument(questionFile(journal, id), KeptQuestion) : null;
}

/** Keeps a question, safe on the disk. */
export async function keepQuestion(journal: string, question: KeptQuestion): Promise<void> {
  await replaceFile(questionFile(journal, question.id), `${JSON.stringify(question)}\n`);
  await syncNames(journal);
}

/** Removes a question. A power cut in between never leaves an allowed one whose call seems not to have begun. */
export async function removeQuestion(journal: string, id: string): Promise<void> {
  await rm(questionFile(journal, id), { force: true });
  if (!wasBegun(journal, id)) return;
  await syncNames(journal);
  await rm(begunFile(journal, id), { force: true });
}

/** Whether an allowed call was begun. */
export const wasBegun = (journal: string, id: string): boolean => existsSync(begunFile(journal, id));

/** Notes that an allowed call begins, safe on the disk with its name. False: it was noted before, and may have been made. */
export async function noteBegun(journal: string, id: string): Promise<boolean> {
  await mkdir(folder(journal), { recursive: true, mode: 0o700 });
  let file: FileHandle;
  try {
    file = await open(begunFile(journal, id), "wx", 0o600);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
  await using _closing = file;
  await file.sync();
  await syncNames(journal);
  return true;
}

/** The folder is synced, and the one that it may just have been made in. */
async function syncNames(journal: string): Promise<void> {
  await Promise.all([folder(journal), dirname(folder(journal))].map(syncFolder));
}
