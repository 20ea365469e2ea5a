/** A call of a tool as it is typed at a terminal. Pure. */

/** One argument of a shell, whatever stands in it. */
const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

export function toolCommand(name: string, args: Readonly<Record<string, unknown>>): string {
  const command = `cortex tools call ${quoted(name)}`;
  return Object.keys(args).length === 0 ? command : `${command} ${quoted(JSON.stringify(args))}`;
}
