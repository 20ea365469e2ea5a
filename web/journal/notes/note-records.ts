/** Records of the journal's days, facets and results as the API gives them. */
import { z } from "zod";
import { namePattern } from "../../../protocol/names/names.ts";
import { Day } from "../access/day.ts";

export const FacetName = z.string().regex(namePattern);

const Entry = z
  .object({ path: z.string().meta({ description: "Relative to the journal." }), bytes: z.int() })
  .meta({ id: "JournalFile" });

export const JournalDays = z.object({
  items: z.array(z.object({ day: z.string(), files: z.int() })),
  next: z.string().nullable().meta({ description: "The `cursor` of the next page; null: this is the last one." }),
});

const Event = z.looseObject({
  facet: z.string(),
  title: z.string(),
  start: z.string().optional(),
  end: z.string().optional(),
  summary: z.string().optional(),
  occurred: z.boolean(),
  path: z.string(),
  line: z.int(),
});

export const JournalDay = z.object({ day: z.string(), files: z.array(Entry), events: z.array(Event) });

export const Facet = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    color: z.string().nullable(),
    emoji: z.string().nullable(),
    muted: z.boolean(),
  })
  .meta({ id: "Facet" });

export const Facets = z.object({ items: z.array(Facet), next: z.null() });

const Files = z.array(z.string()).meta({ description: "Paths, the newest first, at most 1,000." });

export const FacetContents = z.object({ facet: Facet, events: Files, todos: Files, news: Files });

export const Report = z
  .object({
    path: z.string(),
    day: z.string(),
    bytes: z.int(),
    saved_at: z.iso.datetime().meta({ description: "When it was changed last." }),
    run: z.string().nullable().meta({ description: "The run that wrote it; null: changed since, or not known." }),
  })
  .meta({ id: "Report" });

export const Reports = z.object({ items: z.array(Report), next: z.string().nullable() });

export const SearchQuery = z.object({
  text: z.string().trim().min(1).max(500),
  day_from: Day.optional(),
  day_to: Day.optional(),
  facet: FacetName.optional(),
  limit: z.coerce.number().int().min(1).max(50).default(20),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

export const Hits = z.object({
  items: z.array(
    z.object({
      path: z.string(),
      line: z.int(),
      snippet: z.string(),
      day: z.string().nullable(),
      facet: z.string().nullable(),
      run: z
        .string()
        .nullable()
        .meta({ description: "The run that wrote the file as it stands; null: none, or not known." }),
      matches: z
        .array(z.tuple([z.int(), z.int()]))
        .meta({ description: "Where words of the query stand in the snippet: from and to, in UTF-16 units." }),
    }),
  ),
  next: z.null(),
});

export const EntryQuery = z.object({
  path: z
    .string()
    .min(1)
    .max(1000)
    .meta({ description: "The path of a file of a day or a facet, relative to the journal." }),
});

export const JournalEntry = z.object({
  path: z.string(),
  text: z.string().nullable().meta({ description: "Null: it isn't text." }),
  bytes: z.int(),
  cut: z.boolean().meta({ description: "It is longer than what is shown." }),
  changed_at: z.iso.datetime(),
  day: z.string().nullable(),
  facet: z.string().nullable(),
  run: z.string().nullable().meta({ description: "The run that wrote it as it stands; null: none, or not known." }),
});
