import { uiTexts } from '../../texts/ui.ts';
import { Button } from './button.tsx';
import { useCopy } from './use-copy.ts';

/** Copies a text, and says so. */
export function CopyButton({ text, label = uiTexts.copy }: { text: string; label?: string }) {
  const { isCopied, copy } = useCopy();
  return (
    <span className="copy">
      <Button look="quiet" onPress={() => copy(text)}>
        {label}
      </Button>
      <span role="status">{isCopied && uiTexts.copied}</span>
    </span>
  );
}
