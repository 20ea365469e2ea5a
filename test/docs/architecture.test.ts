/** The pages point at what is there, and the diagrams show what the tables do. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { decide, type Want } from "../../cortex/claims/claim-table.ts";
import type { Claim } from "../../bus/claims/claims.ts";
import { blocksOf, pages, root } from "./pages.ts";

test.each(pages)("each link of %s leads to a file or a folder that is there", (page) => {
  const prose = readFileSync(join(root, page), "utf8").replaceAll(/^```.*?^```$/gms, "");
  const links = [...prose.matchAll(/\]\(([^)#\s]+)(#[^)\s]*)?\)/g)].map(([, path = ""]) => path);
  const own = links.filter((path) => !/^[a-z]+:/.test(path));
  expect(own.filter((path) => !existsSync(join(root, dirname(page), path)))).toEqual([]);
});

test.each(pages)("each heading that %s links to is there", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const links = [...text.matchAll(/\]\(([^)#\s]+\.md)#([^)\s]+)\)/g)];
  const missing = links.filter(([, path = "", id]) => {
    const target = readFileSync(join(root, dirname(page), path), "utf8");
    const ids = [...target.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => slugOf(heading));
    return !ids.includes(id ?? "");
  });
  expect(missing.map(([link]) => link)).toEqual([]);
});

const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");

/** The arrows of a diagram of states, `from>to`. */
function arrowsOf(title: string): string[] {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const [, section = ""] = page.split(`## ${title}\n`);
  const [, diagram = ""] = /```mermaid\n(.*?)```/s.exec(section) ?? [];
  const arrows = [...diagram.matchAll(/^ +(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from}>${to}`);
  return [...new Set(arrows)].toSorted();
}

test("the diagram of a claim has the arrows of its table, and no others", () => {
  const states = ["queued", "claimed", "started", "ended"] as const;
  const own = { worker: "one", epoch: 1 };
  const wants: Want[] = [
    ...(["alive", "gone", "lost"] as const).flatMap((owner): Want[] => [
      { type: "take", worker: "one", owner },
      { type: "take", worker: "two", owner },
    ]),
    { type: "begin", ...own, attempt: 1 },
    { type: "release", ...own },
    { type: "confirm", ...own },
    { type: "end", ...own },
  ];
  const claimOf = (state: Claim["state"]): Claim => ({
    state,
    worker: "one",
    epoch: 1,
    attempt: 1,
    confirmed: 0,
    stream_seq: 1,
    priority: 50,
    labels: [],
  });
  const arrows = states.flatMap((state) =>
    wants.flatMap((want) => {
      const next = decide(claimOf(state), want);
      return next === null ? [] : [`${state}>${next.state}`];
    }),
  );
  expect(arrowsOf("The life of a claim")).toEqual([...new Set(arrows)].toSorted());
});

test("the page has a diagram of the data, and of each life", () => {
  const diagrams = blocksOf("docs/architecture.md").filter(({ language }) => language === "mermaid");
  expect(diagrams.map(({ text }) => text.split("\n")[0]?.trim())).toEqual([
    "flowchart LR",
    "stateDiagram-v2",
    "stateDiagram-v2",
    "stateDiagram-v2",
    "stateDiagram-v2",
  ]);
});
