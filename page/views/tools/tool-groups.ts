/** The tools by what has them: our packs, then external servers and apps. Pure. */
import type { ApiRecord } from "../../api/client.ts";
import { personName } from "../../words/names/names.ts";

type Tool = ApiRecord<"Tool">;

export type ToolGroup = { name: string; tools: readonly Tool[] };

export const packName = ({ pack }: Tool): string => (pack === null ? "Other" : personName(pack));

export function toolGroups(tools: readonly Tool[]): ToolGroup[] {
  const names = [...new Set(tools.map(packName))];
  return names.map((name) => ({ name, tools: tools.filter((tool) => packName(tool) === name) }));
}
