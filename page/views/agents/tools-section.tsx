/** The tools that agents may have, by pack, server and app; one of them to be called. */
import { answered, client } from "../../api/client.ts";
import { Empty } from "../../parts/loading/empty.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { toolGroups } from "../tools/tool-groups.ts";
import { ToolPage } from "../tools/tool-page.tsx";
import { addressOf } from "./agents-place.ts";
import { SideList } from "./side-list.tsx";

export function ToolsSection({ name }: { name: string | null }) {
  const { data, problem, read } = useAnswer("tools", (signal) => answered(client.GET("/api/v1/tools", { signal })), [
    "settings",
    "apps",
  ]);
  const tools = data.value?.items ?? [];
  const tool = name === null ? tools[0] : tools.find((one) => one.name === name);
  const groups = toolGroups(tools).map((group) => ({
    title: group.name,
    entries: group.tools.map((one) => ({ key: one.name, text: one.name, to: addressOf("tools", one.name) })),
  }));
  const broken = data.value?.sources.filter(({ error, problems }) => error !== null || problems.length > 0) ?? [];
  return (
    <SideList
      section="tools"
      groups={groups}
      shown={tool === undefined ? null : addressOf("tools", tool.name)}
      isIndex={name === null}
      loading={<Loading isThere={data.value !== null} error={problem.value} onRetry={read} rows={6} />}
    >
      {broken.map((source) => (
        <p key={source.name} class="notice">
          <b class="strong">{source.name}</b> {source.error ?? source.problems.join("; ")}
        </p>
      ))}
      {tool !== undefined && <ToolPage key={tool.name} tool={tool} />}
      {data.value !== null && tool === undefined && (
        <Empty
          title={name === null ? "There are no tools." : `There is no tool “${name}” now.`}
          command="cortex tools list"
        >
          Tools come from packs, from external servers and from apps.
        </Empty>
      )}
    </SideList>
  );
}
