/** Carries out an import's plan: writes what isn't there yet and changes nothing that is. Killed at any moment, it can be run again. */
import { mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "../../../files/errors/error-message.ts";
import { createFile } from "../../../files/writing/replace-file.ts";
import { listMemory, maxMemoryFiles } from "../../../journal/agents/memory.ts";
import { inside } from "../../../journal/config/paths.ts";
import { setSchedule } from "../../../journal/config/edit-settings.ts";
import { readSettings } from "../../../journal/config/settings.ts";
import { readWhole } from "../../../journal/editing/facet-file.ts";
import type { PlannedFile } from "./import-parts.ts";

/** `new`: written, or to be written; `there`: with the same content already; `conflict`: something else is there. */
export type CarriedFile = Omit<PlannedFile, "text" | "unit" | "what"> & {
  what: PlannedFile["what"] | "agent" | "page";
  state: "new" | "there" | "conflict";
  why?: string;
};

export type CarryOptions = {
  /** Write nothing: say what would be. */
  isDryRun: boolean;
  /** The persona whose schedule is turned off before it is there. */
  scheduled: string | null;
  /** Why a file's place belongs to something that comes with cortex, or null. */
  takenBy: (file: PlannedFile) => string | null;
};

export async function carryOut(
  journal: string,
  files: readonly PlannedFile[],
  { isDryRun, scheduled, takenBy }: CarryOptions,
): Promise<CarriedFile[]> {
  let room = isThere(journal) ? maxMemoryFiles - listMemory(journal).length : maxMemoryFiles;
  const carried: CarriedFile[] = [];
  for (const unit of units(files)) {
    const found = unit.map((file) => compared(journal, file, takenBy));
    const isMemory = unit.some(({ what }) => what === "memory");
    const isNew = found.some(({ state }) => state === "new");
    const conflict = found.find(({ state }) => state === "conflict");
    if (conflict) {
      carried.push(
        ...found.map((one) =>
          one.state === "new" ? { ...one, state: "conflict" as const, why: `${conflict.to} stands in its way` } : one,
        ),
      );
      continue;
    }
    if (isMemory && isNew && room-- <= 0) {
      const why = `the memory has its ${maxMemoryFiles} files`;
      carried.push(...found.map((one) => ({ ...one, state: "conflict" as const, why })));
      continue;
    }
    carried.push(...(isDryRun || !isNew ? found : await written(journal, unit, found, scheduled)));
  }
  return carried;
}

async function written(
  journal: string,
  unit: readonly PlannedFile[],
  found: readonly CarriedFile[],
  scheduled: string | null,
): Promise<CarriedFile[]> {
  // Off before it is there: at no moment does a clock find it and spend money that nobody has agreed to.
  const isScheduled = unit.some(({ what }) => what === "schedule");
  if (isScheduled && scheduled !== null && readSettings(journal).schedules?.[scheduled] === undefined)
    await setSchedule(journal, scheduled, false);
  const done: CarriedFile[] = [];
  for (const [at, file] of unit.entries()) {
    const was = found[at];
    if (was?.state !== "new") {
      if (was) done.push(was);
      continue;
    }
    const path = inside(journal, file.to);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const isMade = await createFile(path, file.text);
    done.push(isMade ? was : { ...was, state: "conflict", why: "something came there meanwhile" });
  }
  return done;
}

function compared(journal: string, file: PlannedFile, takenBy: CarryOptions["takenBy"]): CarriedFile {
  const { text, unit: _, ...shown } = file;
  const conflict = (why: string) => ({ ...shown, state: "conflict" as const, why });
  const taken = takenBy(file);
  if (taken !== null) return conflict(taken);
  if (!isThere(journal)) return { ...shown, state: "new" };
  try {
    const real = inside(journal, file.to);
    if (real !== join(realpathSync(journal), file.to)) return conflict("it, or a folder on the way to it, is a link");
    const there = readWhole({ journal, path: file.to, real });
    if (there === null) return { ...shown, state: "new" };
    return there.bytes.equals(Buffer.from(text)) ? { ...shown, state: "there" } : conflict("another file is there");
  } catch (error) {
    return conflict(messageOf(error));
  }
}

function units(files: readonly PlannedFile[]): PlannedFile[][] {
  return [...Map.groupBy(files, ({ unit }) => unit).values()];
}

function isThere(path: string): boolean {
  try {
    realpathSync(path);
    return true;
  } catch {
    return false;
  }
}
