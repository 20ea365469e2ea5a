/** Addresses within views to which more than one place of the page leads. Pure. */

const under = (place: string) => (name: string) => `${place}/${name.split("/").map(encodeURIComponent).join("/")}`;

export const runAddress = under("/runs");
/** The address of the list of runs with filters: `views/runs/run-filters.ts` says which there are. */
export const runsAddress = (filters: Record<string, string>) => `/runs?${new URLSearchParams(filters)}`;
export const personaAddress = under("/agents");
export const agentAddress = under("/agents/live");
export const teamAgentAddress = under("/agents/team");
export const skillAddress = under("/agents/skills");
export const memoryAddress = under("/agents/memory");
export const toolAddress = under("/agents/tools");
export const chatAddress = under("/chat");
/** The address of a turn of a long-lived agent: its conversation. It names the run as well, as the address of each row of a run does. */
export const turnAddress = (agent: string, run: string) => `${chatAddress(agent)}?run=${run}`;
export const threadAddress = under("/threads");
export const changeAddress = under("/changes");
/** The address of a day such as 20250120. */
export const dayAddress = under("/journal");
export const facetAddress = under("/journal/facets");
export const fileAddress = under("/journal/files");
export const logAddress = (program: string) => `/logs?program=${encodeURIComponent(program)}`;
/** The address of two runs beside each other. */
export const sideBySideAddress = (one: string, other: string) => `/runs/compare/${one}/${other}`;
