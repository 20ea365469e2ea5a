/** Operations on the memory and the skills of long-lived agents. */
import { refusing } from "../../../journal/access/refusals.ts";
import {
  MemoryChange,
  MemoryFile,
  MemoryFiles,
  MemoryQuery,
  Skill,
  SkillChange,
  SkillName,
  Skills,
} from "../../../journal/memory/memory-records.ts";
import { changeMemory, changeSkill, memoryFile, memoryFiles, skill, skills } from "../../../journal/memory/memory.ts";
import { operation } from "../../table/operation.ts";

const forOwner = { subject: null, role: "owner" } as const;
const ofSkill = { ...forOwner, pathId: SkillName } as const;

export const memory = [
  operation({
    ...forOwner,
    id: "memory.list",
    method: "GET",
    path: "/memory",
    summary: "The files of the agents' memory",
    answer: MemoryFiles,
    handle: ({ machine }) => refusing(() => memoryFiles(machine)),
  }),
  operation({
    ...forOwner,
    id: "memory.get",
    method: "GET",
    path: "/memory/file",
    summary: "A file of the memory",
    query: MemoryQuery,
    answer: MemoryFile,
    refusals: [404],
    handle: ({ machine }, { query }) => refusing(() => memoryFile(machine, query.path)),
  }),
  operation({
    ...forOwner,
    id: "memory.put",
    method: "PATCH",
    path: "/memory/file",
    summary: "Write a file of the memory that was read as a version, or make one",
    body: MemoryChange,
    maxBodyBytes: 4 * 1024 * 1024,
    answer: MemoryFile,
    refusals: [404, 409],
    handle: ({ machine }, { body }) => refusing(() => changeMemory(machine, body)),
  }),
  operation({
    ...forOwner,
    id: "skill.list",
    method: "GET",
    path: "/skills",
    summary: "The skills, the journal's and the package's",
    answer: Skills,
    handle: ({ machine }) => refusing(() => skills(machine)),
  }),
  operation({
    ...ofSkill,
    id: "skill.get",
    method: "GET",
    path: "/skills/{id}",
    summary: "A skill, as it is written",
    answer: Skill,
    handle: ({ machine }, { id }) => refusing(() => skill(machine, id)),
  }),
  operation({
    ...ofSkill,
    id: "skill.put",
    method: "PATCH",
    path: "/skills/{id}",
    summary: "Write a skill of the journal that was read as a version, or make one",
    body: SkillChange,
    maxBodyBytes: 1024 * 1024,
    answer: Skill,
    refusals: [409],
    handle: ({ machine }, { id, body }) => refusing(() => changeSkill(machine, id, body)),
  }),
];
