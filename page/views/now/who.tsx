/** The name that a row is about, where it comes from, and where it leads. */
import type { ComponentChildren } from "preact";
import { Facet } from "../../parts/badges/facet.tsx";
import { companionOf } from "../../stores/agents/companions-store.ts";
import type { RunRow } from "../../stores/now/now-store.ts";
import { runAddress, turnAddress } from "../../words/navigation/addresses.ts";
import { firstLine, personName } from "../../words/names/names.ts";

/** The long-lived agent by its name, else the persona, as people read it. */
export const whoOf = ({ agent = null, agent_name, persona }: WhoseRun): string =>
  firstLine(companionOf(agent)?.called ?? agent_name ?? "") || personName(persona);

type WhoseRun = Pick<RunRow, "agent_name" | "persona"> & { agent?: string | null };

/** Its facet; else where it comes from, in a word or two: nothing where somebody just asked for it. */
export function fromOf(run: RunRow): ComponentChildren | undefined {
  if (run.facet !== null) return <Facet name={run.facet} />;
  if (run.schedule !== null) return "by its schedule";
  if (run.agent !== null) return run.agent_name === null ? "long-lived agent" : personName(run.persona);
  if (run.handed_from !== null) return "handed on";
  if (run.again_of !== null) return "once more";
  return run.continue_from === null ? undefined : "continued";
}

/** A turn of a long-lived agent leads to its conversation, any other run to its own page. */
export function addressOfRun({ id, agent }: Pick<RunRow, "id" | "agent">): string {
  const companion = companionOf(agent);
  return companion ? turnAddress(companion.agent_id, id) : runAddress(id);
}
