/**
 * Patterns of file names, such as **\/*.{ts,md}, as regular expressions. Pure. Not by picomatch: its expressions have lookaheads,
 * which no engine of linear time takes, and *a*a*a*a*a*a*a*a*b was not done with a name of 250 letters after a minute.
 */

/** A whole path, segments with / between. `*` and `?` stay within a segment, `**` goes over any number of them. */
export function globSource(glob: string): string {
  return `^${translated(glob.replace(/^\.\//, ""))}$`;
}

function translated(glob: string): string {
  let source = "";
  let braces = 0;
  for (let at = 0; at < glob.length; ) {
    const rest = glob.slice(at);
    const [token = "", ...groups] =
      /^(?:(\*\*\/)|(\*+)|(\?)|\[([!^]?)([^\]/]+)\]|(\{)(?=[^{}]*\})|([,}])|\\(.)|([^]))/u.exec(rest) ?? [];
    at += token.length || 1;
    const [anyFolders, stars, one, not, set, open, inBraces, escaped, plain] = groups;
    if (anyFolders !== undefined) source += "(?:[^/]+/)*";
    else if (stars !== undefined) source += stars.length > 1 ? ".*" : "[^/]*";
    else if (one !== undefined) source += "[^/]";
    else if (set !== undefined) source += `[${not ? "^/" : ""}${set.replace(/[\\\]^[&]/g, "\\$&")}]`;
    else if (open !== undefined) {
      source += "(?:";
      braces++;
    } else if (inBraces !== undefined && braces > 0) {
      source += inBraces === "," ? "|" : ")";
      if (inBraces === "}") braces--;
    } else source += literal(escaped ?? inBraces ?? plain ?? "");
  }
  return source;
}

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
