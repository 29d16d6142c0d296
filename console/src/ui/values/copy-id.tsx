import { uiTexts } from '../../texts/ui.ts';
import { Button } from '../forms/button.tsx';
import { useCopy } from '../forms/use-copy.ts';
import { Icon } from '../icon.tsx';
import { shortId } from './format.ts';
import '../../style/copy-id.css';

interface Props {
  id: string;
  /** What the button is called: `Copy flow ID`. */
  label: string;
  /** Where something around it has the focus, and copies too. */
  isInGrid?: boolean;
}

/** Copies an ID, beside the name of what has it. In a list, it appears in the row that one points at. */
export function CopyId({ id, label, isInGrid = false }: Props) {
  const { isCopied, copy } = useCopy();
  return (
    <span className="copy-id" title={id}>
      <Button look="quiet" aria-label={label} excludeFromTabOrder={isInGrid} onPress={() => copy(id)}>
        <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      </Button>
      <span role="status" className="visually-hidden">
        {isCopied && uiTexts.copied}
      </span>
    </span>
  );
}

/** An ID, short, with the button that copies the whole of it. */
export const ShownId = ({ id, label }: Props) => (
  <span className="shown-id">
    <code title={id}>{shortId(id)}</code>
    <CopyId id={id} label={label} />
  </span>
);
