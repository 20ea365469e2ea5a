/** Paths of operations: `/threads/{id}/messages`, with one id at most, and with `{file}`, a file of what that names. Pure. */

const names = ["w", "id", "file"];
const parameter = /\{(w|id|file)\}/;

/** The names of its parameters, in their order. */
export const parametersIn = (path: string): string[] => names.filter((name) => path.includes(`{${name}}`));

/** As the router has it. */
export const routerPath = (path: string): string => path.replace(/\{(w|id)\}/, ":id").replace("{file}", ":file");

/** Whether a path that was sent is one of these. */
export function isAt(path: string, sent: string): boolean {
  const [parts, sentParts] = [path.split("/"), sent.split("/")];
  return parts.length === sentParts.length && parts.every((part, at) => part === sentParts[at] || parameter.test(part));
}
