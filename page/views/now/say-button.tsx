/** The button of a row that opens it with the field for words. */
import { Button } from "../../parts/buttons/button.tsx";

export function SayButton({ onPress }: { onPress: () => void }) {
  return (
    <Button kind="quiet" keyName="S" onPress={onPress}>
      Say
    </Button>
  );
}
