import { editorTexts } from '../../../texts/flow-editor.ts';
import { Icon } from '../../../ui/icon.tsx';
import type { StepPlace } from '../steps/places.ts';
import type { GraphLayout } from './layout.ts';

interface Props {
  lines: GraphLayout['lines'];
  onInsert: (place: StepPlace) => void;
}

/** On each line, a button that adds a step there. */
export const InsertButtons = ({ lines, onInsert }: Props) =>
  lines.map(({ key, x, y, place, from }) => (
    <button
      key={key}
      type="button"
      className="graph-insert"
      tabIndex={-1}
      aria-label={from ? editorTexts.addStepAfter(from.name) : editorTexts.addFirstStep}
      style={{ transform: `translate(${x - 11}px, ${y - 11}px)` }}
      onClick={() => onInsert(place)}
    >
      <Icon name="plus" size={12} />
    </button>
  ));
