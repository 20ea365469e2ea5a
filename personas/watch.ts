/** Personas that follow their files while cortex runs. */
import { relative, resolve, sep } from "node:path";
import { watch } from "chokidar";
import { messageOf } from "../files/errors/error-message.ts";
import type { Persona } from "../protocol/settings/persona.ts";
import { fileStamp, filesOf } from "./file-stamp.ts";
import { builtInFolder, loadPersonas, type PersonaProblem } from "./load.ts";

/** Editors write a file in several steps, and a persona has two files: they are read this long after the last change. */
const settleMs = 50;

export type WatchedPersonas = {
  /** As its files are now, also when the watch hasn't told of their change yet. Of a checked name. */
  get: (name: string) => Persona | undefined;
  all: () => Persona[];
  /** Lists the problems of now, also of personas whose last good version goes on. */
  problems: () => PersonaProblem[];
  /** Reads them now, whether or not a change was seen. */
  reload: () => void;
};

/**
 * Loads the personas and follows their files until the signal. One that breaks keeps its last good version; one whose
 * files are gone is gone. Resolves when every later change will be seen.
 * @param onProblem told each new problem once, and when the watch itself fails
 */
export async function watchPersonas(
  journal: string,
  { onProblem, signal }: { onProblem: (problem: PersonaProblem) => void; signal: AbortSignal },
): Promise<WatchedPersonas> {
  let personas = new Map<string, Persona>();
  let problems: PersonaProblem[] = [];
  let stamps = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  const load = () => {
    clearTimeout(timer);
    const loaded = loadPersonas(journal);
    for (const { name } of loaded.problems) {
      const lastGood = personas.get(name);
      if (lastGood) loaded.personas.set(name, lastGood);
    }
    const told = new Set(problems.map((problem) => JSON.stringify(problem)));
    personas = loaded.personas;
    ({ problems, stamps } = loaded);
    for (const problem of problems) if (!told.has(JSON.stringify(problem))) onProblem(problem);
  };
  const failed = (error: unknown) => {
    const reason = messageOf(error);
    onProblem({ name: "", path: journal, error: `changes of personas may not be seen: ${reason}` });
  };

  load();
  const root = resolve(journal);
  const watcher = watch([root, builtInFolder()], {
    ignoreInitial: true,
    depth: 3,
    ignored: (path) => path.startsWith(root + sep) && !isOfPersonas(relative(root, path).split(sep)),
  });
  watcher.on("all", () => {
    clearTimeout(timer);
    timer = setTimeout(load, settleMs);
  });
  const close = () => {
    clearTimeout(timer);
    watcher.close().catch(failed);
  };
  await new Promise<void>((done) => {
    watcher.once("ready", done);
    watcher.on("error", (error) => {
      failed(error);
      done();
    });
    signal.addEventListener("abort", () => done(), { once: true });
  });
  if (signal.aborted) close();
  else {
    signal.addEventListener("abort", close, { once: true });
    // What changed between the first reading and the watch.
    load();
  }
  return {
    get: (name) => {
      if (filesOf(journal, name).some((path) => fileStamp(path) !== (stamps.get(path) ?? ""))) load();
      return personas.get(name);
    },
    all: () => [...personas.values()],
    problems: () => problems,
    reload: () => {
      problems = []; // who asks wants to hear of them again
      load();
    },
  };
}

/** Whether a path of the journal is on the way to a persona: `personas/…` or `apps/<app>/personas/…`. */
function isOfPersonas(parts: string[]): boolean {
  if (parts[0] === "personas") return parts.length <= 2;
  return parts[0] === "apps" && (parts.length <= 2 || (parts[2] === "personas" && parts.length <= 4));
}
