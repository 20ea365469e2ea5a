/** The sign of somebody at a glance: people are round, agents are square, each in a colour of its own or with its avatar. */
import { hueOf, signOf } from "../../words/names/faces.ts";
import { initials } from "../../words/names/mentions.ts";
import "./face.css";

/** `slug`: by which an agent has its colour; null: a person. */
export type FaceOf = { slug: string | null; avatar: string | null };

export const person: FaceOf = { slug: null, avatar: null };

export function Face({ name, of: { slug, avatar }, isSmall = false }: { name: string; of: FaceOf; isSmall?: boolean }) {
  const isAgent = slug !== null;
  const sign = isAgent ? signOf(avatar) : null;
  const classes = ["face", isAgent && `agent hue-${hueOf(slug)}`, isSmall && "s"].filter(Boolean).join(" ");
  return (
    <span class={classes} aria-hidden="true">
      {sign?.kind === "picture" ? <img src={sign.address} alt="" /> : (sign?.text ?? initials(name, isAgent))}
    </span>
  );
}
