/** A call of a tool as it is typed at a terminal. Pure. */
import { shellQuoted } from "../text/shell-quoted.ts";

export function toolCommand(name: string, args: Readonly<Record<string, unknown>>): string {
  const command = `cortex tools call ${shellQuoted(name)}`;
  return Object.keys(args).length === 0 ? command : `${command} ${shellQuoted(JSON.stringify(args))}`;
}
