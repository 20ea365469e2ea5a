/** The problem of something that couldn't be done or shown, why, and a way to try again. */
import { messageOf } from "../../words/notices/problem.ts";
import { Button } from "../buttons/button.tsx";
import "./problem.css";

export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <div class="problem" role="alert">
      <p>{messageOf(error)}</p>
      {onRetry && <Button onPress={onRetry}>Try again</Button>}
    </div>
  );
}
