/** Asks whether an agent of the team is to be removed, and says what stays. */
import { Button } from "../../parts/buttons/button.tsx";
import { Dialog } from "../../parts/layout/dialog.tsx";
import type { TeamAgent, TeamAgentEdit } from "../../stores/editing/team-agent-edit.ts";

type RemoveProps = { edit: TeamAgentEdit; agent: TeamAgent; onClose: () => void; onRemoved: () => void };

export function RemoveAgent({ edit, agent, onClose, onRemoved }: RemoveProps) {
  const remove = async () => {
    await edit.remove();
    onRemoved();
  };
  return (
    <Dialog
      title="Remove the agent"
      onClose={onClose}
      actions={
        <Button kind="danger" busyText="Removing" onPress={remove}>
          Remove it
        </Button>
      }
    >
      <p>
        <bdi>@{agent.slug}</bdi> is gone for good, with its versions. What it has said stays. To have it back later,
        switch it off instead.
      </p>
    </Dialog>
  );
}
