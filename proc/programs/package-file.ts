/** Files of this package, wherever it stands: a checkout runs its sources, an installed package what was built from them. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const root = nearestPackage(import.meta.dirname);

/** The path of a file of the package. */
export const packageFile = (path: string) => join(root, path);

function nearestPackage(folder: string): string {
  return existsSync(join(folder, "package.json")) || dirname(folder) === folder
    ? folder
    : nearestPackage(dirname(folder));
}
