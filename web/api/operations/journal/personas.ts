/** Operations on personas: what each says, what it was before, and a try of it. */
import { refusing } from "../../../journal/access/refusals.ts";
import {
  DiffQuery,
  NewPersona,
  Persona,
  PersonaChange,
  PersonaDiff,
  PersonaDraft,
  PersonaPreview,
  PersonaPrompt,
  Personas,
  PersonaTry,
  PersonaVersions,
  StartedTry,
} from "../../../journal/personas/persona-records.ts";
import {
  changePersona,
  createPersona,
  getPersona,
  listPersonas,
  personaDiff,
  personaPrompt,
  personaVersions,
} from "../../../journal/personas/personas.ts";
import { previewPersona, tryPersona } from "../../../journal/personas/preview-persona.ts";
import { PersonaName } from "../../../journal/schedule/schedule-records.ts";
import { operation } from "../../table/operation.ts";

const forOwner = { subject: null, role: "owner", isOutside: true } as const;
const ofPersona = { ...forOwner, pathId: PersonaName } as const;
const maxBodyBytes = 1024 * 1024;

export const personas = [
  operation({
    ...forOwner,
    id: "persona.list",
    method: "GET",
    path: "/personas",
    summary: "The personas, also those that can't be used, and why",
    answer: Personas,
    handle: ({ machine }) => refusing(() => listPersonas(machine)),
  }),
  operation({
    ...forOwner,
    id: "persona.create",
    method: "POST",
    path: "/personas",
    summary: "Make a persona of the journal",
    body: NewPersona,
    maxBodyBytes,
    status: 201,
    answer: Persona,
    handle: ({ machine }, { body }) => refusing(() => createPersona(machine, body)),
  }),
  operation({
    ...ofPersona,
    id: "persona.get",
    method: "GET",
    path: "/personas/{id}",
    summary: "A persona: its text and its settings, with their schema",
    answer: Persona,
    handle: ({ machine }, { id }) => refusing(() => getPersona(machine, id)),
  }),
  operation({
    ...ofPersona,
    id: "persona.put",
    method: "PATCH",
    path: "/personas/{id}",
    summary: "Change a persona that was read as a version; a built-in one gets files of its own in the journal",
    body: PersonaChange,
    maxBodyBytes,
    answer: Persona,
    refusals: [409],
    handle: ({ machine }, { id, body }) => refusing(() => changePersona(machine, id, body)),
  }),
  operation({
    ...ofPersona,
    id: "persona.versions",
    method: "GET",
    path: "/personas/{id}/versions",
    summary: "The versions of a persona, that of now and those before it was changed here, newest first",
    answer: PersonaVersions,
    handle: ({ machine }, { id }) => refusing(() => personaVersions(machine, id)),
  }),
  operation({
    ...ofPersona,
    id: "persona.diff",
    method: "GET",
    path: "/personas/{id}/diff",
    summary: "Two versions of a persona, to be compared",
    query: DiffQuery,
    answer: PersonaDiff,
    handle: ({ machine }, { id, query }) => refusing(() => personaDiff(machine, id, query)),
  }),
  operation({
    ...ofPersona,
    id: "persona.prompt",
    method: "GET",
    path: "/personas/{id}/prompt",
    summary: "The prompt of a persona's runs, and of its long-lived agents",
    answer: PersonaPrompt,
    handle: ({ machine }, { id }) => refusing(() => personaPrompt(machine, id)),
  }),
  operation({
    ...ofPersona,
    id: "persona.preview",
    method: "POST",
    path: "/personas/{id}/preview",
    summary: "The preview of a persona, before it is saved, and its problems",
    body: PersonaDraft,
    maxBodyBytes,
    answer: PersonaPreview,
    handle: ({ machine }, { id, body }) => refusing(() => previewPersona(machine, id, body)),
  }),
  operation({
    ...ofPersona,
    id: "persona.try",
    method: "POST",
    path: "/personas/{id}/try",
    summary: "Ask a persona something, to see what it does",
    body: PersonaTry,
    maxBodyBytes,
    status: 202,
    answer: StartedTry,
    handle: ({ machine }, { id, body }) => refusing(() => tryPersona(machine, id, body)),
  }),
];
