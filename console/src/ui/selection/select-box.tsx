import { uiTexts } from '../../texts/ui.ts';
import type { RowSelection } from './use-selection.ts';
import '../../style/selection.css';

interface Props<Row> {
  selection: RowSelection<Row>;
  /** Where something around it has the focus, and selects too. */
  isInGrid?: boolean;
}

/** Selects a row. With Shift, all from the last one on. */
export const SelectBox = <Row,>({
  selection,
  id,
  row,
  isInGrid = false,
}: Props<Row> & { id: string; row: Row }) => (
  <input
    type="checkbox"
    className="select-box"
    aria-label={uiTexts.select(selection.nameOf(row))}
    checked={selection.ids.has(id)}
    tabIndex={isInGrid ? -1 : undefined}
    // Else the browser marks text up to here.
    onMouseDown={(event) => event.shiftKey && event.preventDefault()}
    onChange={({ nativeEvent }) => selection.toggle(id, (nativeEvent as MouseEvent).shiftKey === true)}
  />
);

/** Selects all rows that are loaded, or none. */
export function SelectAllBox<Row>({ selection, isInGrid = false }: Props<Row>) {
  const { ids, loaded, selectAll, deselect } = selection;
  const isAll = loaded > 0 && ids.size === loaded;
  return (
    <input
      type="checkbox"
      className="select-box"
      aria-label={uiTexts.selectLoaded(loaded)}
      checked={isAll}
      tabIndex={isInGrid ? -1 : undefined}
      ref={(box) => {
        if (box) box.indeterminate = ids.size > 0 && !isAll;
      }}
      onChange={() => (isAll ? deselect() : selectAll())}
    />
  );
}
