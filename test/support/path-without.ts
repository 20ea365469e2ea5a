/** A folder for PATH that has this machine's programs, but for one. */
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"].filter((folder) => existsSync(folder));

export function pathWithout(left: string): { folder: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), `without-${left}-`));
  for (const from of folders)
    for (const name of readdirSync(from))
      if (name !== left && !existsSync(join(folder, name)) && existsSync(join(from, name)))
        symlinkSync(join(from, name), join(folder, name));
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}
