/** Files of secrets that are tried before they take the place of those that stand there. */
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

type KeptAside = AsyncDisposable & {
  /** The name under which a file stands until it is taken. */
  nameOf: (file: string) => string;
  /** Puts the files in their places, and returns their paths. */
  take: () => Promise<string[]>;
};

const nameOf = (file: string) => `${file}.new`;

/**
 * Writes secrets beside the places where they are to stand. Disposing of it removes what wasn't taken.
 * @param secrets each by the name of its file in the journal
 */
export async function keptAside(journal: string, secrets: Readonly<Record<string, string>>): Promise<KeptAside> {
  const files = Object.keys(secrets);
  const aside = (file: string) => join(journal, nameOf(file));
  const removeAll = async () => void (await Promise.all(files.map((file) => rm(aside(file), { force: true }))));
  await removeAll(); // a killed one may have left some
  try {
    // Nobody else can read it from its first byte on.
    for (const [file, secret] of Object.entries(secrets))
      await writeFile(aside(file), `${secret}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    await removeAll();
    throw error;
  }
  return {
    nameOf,
    take: async () => {
      for (const file of files) await rename(aside(file), join(journal, file));
      return files.map((file) => join(journal, file));
    },
    [Symbol.asyncDispose]: removeAll,
  };
}
