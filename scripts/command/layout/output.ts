/** Long output on stdout, piece by piece: no faster than it is read. */
import { once } from "node:events";

export async function writeOut(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}
