/** The names that a mention that is being written may mean, above the field. */
import type { Mentionable } from "../../../words/names/mentions.ts";
import { Face, person } from "../../../parts/badges/face.tsx";

type MentionListProps = {
  id: string;
  of: readonly Mentionable[];
  chosen: number;
  onPick: (slug: string) => void;
};

export function MentionList({ id, of, chosen, onPick }: MentionListProps) {
  return (
    <div class="pop mention" role="listbox" id={id} aria-label="People and agents">
      {of.map(({ slug, name, about, isAgent, avatar = null }, index) => (
        <div
          key={`${isAgent ? "agent" : "person"} ${slug}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          // The field keeps the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onPick(slug);
          }}
        >
          <Face name={name} of={isAgent ? { slug, avatar } : person} isSmall />
          <b class="cut">{name}</b>
          <span class="ink-3 cut">{isAgent ? about || "agent" : about}</span>
        </div>
      ))}
    </div>
  );
}
