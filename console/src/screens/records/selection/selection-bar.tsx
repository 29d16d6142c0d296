import { Button } from '../../../ui/forms/button.tsx';
import { count } from '../../../ui/values/format.ts';
import { DeleteSelected } from './delete-selected.tsx';
import type { Selection } from './use-selection.ts';

/** How many rows are selected, and what can be done with them. */
export const SelectionBar = ({ selection, loaded }: { selection: Selection; loaded: number }) => {
  const { selected, selectAll, deselect } = selection;
  return (
    <div className="row records-selection">
      <span role="status">{selected.size > 0 ? `${count(selected.size)} selected` : ''}</span>
      {loaded > 0 && (
        <Button look="quiet" onPress={selectAll}>
          {`Select the ${count(loaded)} loaded`}
        </Button>
      )}
      {selected.size > 0 && (
        <>
          <Button look="quiet" onPress={deselect}>
            Select none
          </Button>
          <DeleteSelected ids={[...selected]} onDone={deselect} />
        </>
      )}
    </div>
  );
};
